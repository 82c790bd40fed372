package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/npu-tune/npu-tune/evaluator/cases"
	"github.com/npu-tune/npu-tune/results/table"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/tuner"
	"github.com/npu-tune/npu-tune/space"
)

// solvedWire is what is printed of a problem as JSON. Pointers are null where
// nothing is known.
type solvedWire struct {
	Name       string          `json:"name,omitempty"` // the layer's
	Pass       string          `json:"pass"`
	Objective  string          `json:"objective"`
	Unit       string          `json:"unit"` // of value and bound
	Value      *float64        `json:"value"`
	Proven     bool            `json:"proven"` // that value is the optimum, or that nothing fits
	Infeasible bool            `json:"infeasible"`
	Bound      *float64        `json:"bound"` // no schedule is below it
	Gap        *float64        `json:"gap"`   // by which part of itself the value exceeds the bound at most
	Schedule   *space.Schedule `json:"schedule"`
	Cost       json.RawMessage `json:"cost"`
	Strategy   string          `json:"strategy"`
	Stats      search.Stats    `json:"stats"`
}

func (s *solved) wire(o *options) (solvedWire, error) {
	w := solvedWire{
		Name: s.problem.Layer.Name, Pass: s.problem.Pass.String(), Objective: o.objective.String(), Unit: o.objective.Unit(),
		Proven: s.outcome.Proven, Infeasible: s.infeasible(), Bound: s.bound(), Cost: json.RawMessage("null"),
		Strategy: s.outcome.Strategy, Stats: s.outcome.Stats,
	}
	best := s.outcome.Best()
	if best == nil {
		return w, nil
	}
	value := o.objective.Value(&best.Cost)
	w.Value, w.Schedule = &value, &best.Schedule
	if w.Bound != nil {
		if gap, ok := tuner.Gap(value, *w.Bound); ok {
			w.Gap = &gap
		}
	}
	var err error
	w.Cost, err = cases.EncodeCost(best.Schedule.Pass, &best.Cost)
	return w, err
}

// bound returns what no schedule falls below, nil where that is not known.
func (s *solved) bound() *float64 {
	b := s.outcome.Bound
	if !(b > 0) || math.IsInf(b, 0) || s.infeasible() {
		return nil
	}
	return &b
}

// printSolved prints a JSON list, an object a line.
func printSolved(w io.Writer, o *options, found []solved) error {
	text := []byte("[")
	for i := range found {
		object, err := found[i].wire(o)
		if err != nil {
			return err
		}
		line, err := json.Marshal(object)
		if err != nil {
			return fmt.Errorf("problems[%d]: %w", i, err)
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(text, "\n  "...), line...)
	}
	_, err := w.Write(append(text, "\n]\n"...))
	return err
}

func solvedTable(o *options, found []solved) *table.Table {
	t := &table.Table{Columns: []table.Column{
		{Title: "problem", Key: "problem"},
		{Title: "pass", Key: "pass"},
		{Title: "m×n×k", Key: "shape"},
		{Title: o.objective.String() + ", " + o.objective.Unit(), Key: "value", Digits: 2},
		{Title: "optimum", Key: "optimum"},
		{Title: "bound", Key: "bound", Digits: 2},
		{Title: "cycles", Key: "cycles", Digits: 2},
		{Title: "DRAM bytes", Key: "dram_bytes"},
		{Title: "SPM bytes", Key: "spm_bytes"},
		{Title: "energy pJ", Key: "energy_pj", Digits: 1},
		{Key: "schedule", Hidden: true},
	}}
	for i := range found {
		t.Add(found[i].row(o, i)...)
	}
	return t
}

func (s *solved) row(o *options, i int) []any {
	l := &s.problem.Layer
	shape := fmt.Sprintf("%d×%d×%d", l.M, l.N, l.K)
	if b := l.Batches(); b > 1 {
		shape += fmt.Sprintf(" ×%d", b)
	}
	name := l.Name
	if name == "" {
		name = fmt.Sprintf("problems[%d]", i)
	}
	var bound any
	if b := s.bound(); b != nil {
		bound = *b
	}
	row := []any{name, s.problem.Pass.String(), shape}
	best := s.outcome.Best()
	if best == nil {
		return append(row, nil, s.standing(), bound, nil, nil, nil, nil, nil)
	}
	c := &best.Cost
	text, err := json.Marshal(best.Schedule)
	if err != nil {
		text = []byte(err.Error())
	}
	return append(row, o.objective.Value(c), s.standing(), bound, c.Cycles, c.DRAMBytes, c.SPMBytes, c.EnergyPJ, string(text))
}

// standing says in a word what is known.
func (s *solved) standing() string {
	switch {
	case s.infeasible():
		return "infeasible"
	case s.outcome.Proven:
		return "proven"
	case s.outcome.Best() == nil:
		return "nothing found"
	}
	return "unproven"
}
