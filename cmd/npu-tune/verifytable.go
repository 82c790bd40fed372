package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/npu-tune/npu-tune/evaluator/cases"
	"github.com/npu-tune/npu-tune/evaluator/verify"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/results/table"
)

// checksTable has a row per schedule. It holds no times: the same result gives
// the same table.
func checksTable(done []checked, failed bool) *table.Table {
	t := &table.Table{
		Title: "Checked: closed form, simulator and stored cost agree; numbers through the SPM equal the reference",
		Columns: []table.Column{
			{Title: "layer", Key: "layer"},
			{Title: "×", Key: "count"},
			{Title: "pass", Key: "pass"},
			{Title: "schedule", Key: "schedule"},
			{Title: "tile ops", Key: "ops"},
			{Title: "simulated", Key: "simulated"},
			{Title: "ops", Key: "simulated_ops"},
			{Title: "figures", Key: "figures_as_simulated"},
			{Title: "stored", Key: "figures_as_stored"},
			{Title: "with numbers", Key: "replayed"},
			{Title: "MMAC", Key: "replayed_macs", Scale: 1e6, Digits: 2},
			{Title: "elements", Key: "elements"},
			{Title: "max error 1e-6", Key: "max_relative_error", Scale: 1e-6, Digits: 2},
			{Title: "", Key: "result"},
		},
	}
	for i := range done {
		t.Add(done[i].row(failed && i == len(done)-1)...)
	}
	return t
}

func (c *checked) row(failed bool) []any {
	r := &c.report
	result := "ok"
	if failed {
		result = "FAILED"
	}
	row := []any{c.job.Layer.Name, c.job.Count, c.job.Pass.String(), c.name, r.Ops}
	if r.Fields == 0 { // it failed before
		row = append(row, nil, nil, nil)
	} else {
		row = append(row, size(&r.Simulated), r.Simulated.Ops, int64(r.Fields))
	}
	row = append(row, int64(r.Stored))
	if r.Elements == 0 {
		return append(row, nil, nil, nil, nil, result)
	}
	macs := r.Replayed.Problem.Layer.MACs() * int64(len(c.job.Pass.Ops()))
	return append(row, size(&r.Replayed), macs, r.Elements, r.MaxError, result)
}

// size says which problem was checked: the whole, or how large a shrunk one.
func size(p *verify.Part) string {
	if p.Whole {
		return "whole"
	}
	return extents(p.Problem.Layer)
}

// extents is m×n×k, and ×batch where it is repeated.
func extents(l models.Layer) string {
	s := fmt.Sprintf("%d×%d×%d", l.M, l.N, l.K)
	if b := l.Batches(); b > 1 {
		s += fmt.Sprintf(" ×%d", b)
	}
	return s
}

// failureJSON is a disagreement as it stands in JSON.
type failureJSON struct {
	Layer    string     `json:"layer"`
	Pass     string     `json:"pass"`
	Schedule string     `json:"schedule"`
	Reason   string     `json:"reason"`
	Shrunk   bool       `json:"shrunk"`
	Case     cases.Case `json:"case"`
}

// printChecks prints the table and, after a failure, the case that shows it:
// its line comes last. CSV holds the table only.
func printChecks(w io.Writer, done []checked, failure *verify.Failure, f table.Format) error {
	t := checksTable(done, failure != nil)
	if f == table.JSON {
		return printChecksJSON(w, t, done, failure)
	}
	if err := t.Write(w, f); err != nil || failure == nil || f == table.CSV {
		return err
	}
	line, err := json.Marshal(failure.Case)
	if err != nil {
		return err
	}
	what := "The schedule, for 'npu-tune evaluate':"
	if failure.Shrunk {
		what = fmt.Sprintf("The smallest problem found that fails (%s), for 'npu-tune evaluate':", extents(failure.Case.Problem.Layer))
	}
	_, err = fmt.Fprintf(w, "\n%s\n%s\n", what, line)
	return err
}

func printChecksJSON(w io.Writer, t *table.Table, done []checked, failure *verify.Failure) error {
	rows, err := tableJSON(t)
	if err != nil {
		return err
	}
	document := struct {
		Checks  json.RawMessage `json:"checks"`
		Failure *failureJSON    `json:"failure"`
	}{Checks: rows}
	if failure != nil {
		s := &done[len(done)-1].subject
		document.Failure = &failureJSON{s.job.Layer.Name, s.job.Pass.String(), s.name, failure.Error(), failure.Shrunk, failure.Case}
	}
	data, err := json.MarshalIndent(&document, "", "  ")
	if err == nil {
		_, err = w.Write(append(data, '\n'))
	}
	return err
}
