package results

import (
	"math"

	"github.com/npu-tune/npu-tune/evaluator/bound"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

// Run is what a document is made of.
type Run struct {
	Tool   string
	Model  Model
	NPU    *hardware.NPU
	Search Search
	Jobs   []JobInput
}

// JobInput is the outcome of one job.
type JobInput struct {
	Layers    []string // names of the layers that it stands for
	Count     int64    // occurrences in the model
	Problem   *space.Problem
	Outcome   search.Outcome
	Baselines []BaselineInput
	// Variants are the optima on other hardware, where they were asked for.
	Variants []VariantInput
	// Interleaved is the best with shared loops, where that was asked for and
	// the best has none.
	Interleaved *search.Outcome
}

// BaselineInput is a hand-tuned schedule of a job: Best is nil, and Reason says
// why, where none fits. Proven says that no member of its family is better.
type BaselineInput struct {
	Name   string
	Best   *search.Candidate
	Reason string
	Proven bool
	Breaks string // the constraint that Best breaks
}

// New makes the document of a run.
func New(r *Run, objective search.Objective) *Document {
	d := &Document{Schema: SchemaVersion, Tool: r.Tool, Model: r.Model, NPU: *r.NPU, Search: r.Search}
	for i := range r.Jobs {
		d.Jobs = append(d.Jobs, newJob(r.NPU, &r.Jobs[i], objective))
	}
	d.Totals = totals(&d.NPU, d.Jobs, objective)
	d.Summary = d.summary()
	return d
}

func newJob(npu *hardware.NPU, in *JobInput, objective search.Objective) Job {
	out := &in.Outcome
	j := Job{
		Layers: in.Layers, Count: in.Count, Layer: in.Problem.Layer, Pass: in.Problem.Pass,
		Found:        Found{Strategy: out.Strategy, Proven: out.Proven, Stats: out.Stats},
		Alternatives: []Solution{}, Baselines: []Baseline{}, ParetoProven: out.ParetoProven,
	}
	j.named()
	for i, c := range out.Top {
		s := newSolution(npu, &c)
		if i == 0 {
			s.explain(in.Problem)
			j.Best = &s
			continue
		}
		j.Alternatives = append(j.Alternatives, s)
	}
	for _, c := range out.Pareto {
		j.Pareto = append(j.Pareto, newSolution(npu, &c))
	}
	for _, b := range in.Baselines {
		base := Baseline{Name: b.Name, Reason: b.Reason, Proven: b.Proven, Breaks: b.Breaks}
		if b.Best != nil {
			s := newSolution(npu, b.Best)
			base.Solution, base.Reason = &s, ""
		}
		j.Baselines = append(j.Baselines, base)
	}
	bounds := bound.For(in.Problem)
	reach := newReach(&bounds)
	if best := out.Best(); best != nil {
		reach.measure(objective, objective.Value(&best.Cost))
	}
	j.Reach = &reach
	j.Found.setBound(out, objective, reach.of(objective))
	j.Why = why(npu, in, objective)
	for i := range in.Variants {
		j.Sensitivity = append(j.Sensitivity, newVariant(&in.Variants[i], objective))
	}
	return j
}

// setBound fills in the bound, where one is known, and the gap to it. What no
// schedule at all reaches bounds a search that proves nothing.
func (f *Found) setBound(out *search.Outcome, objective search.Objective, reach float64) {
	bound := out.Bound
	if !out.Proven {
		bound = max(bound, reach)
	}
	if !(bound > 0) || math.IsInf(bound, 0) {
		return
	}
	f.Bound = &bound
	if best := out.Best(); best != nil {
		if value := objective.Value(&best.Cost); value > 0 {
			gap := max(0, (value-bound)/value)
			f.Gap = &gap
		}
	}
}

func newSolution(npu *hardware.NPU, c *search.Candidate) Solution {
	return Solution{Schedule: c.Schedule, Cost: c.Cost, Utilization: utilization(npu, c)}
}

// utilization is MACs over PEs · cores · cycles: of all cores that the pass may
// use, or those that the schedule uses where these are more.
func utilization(npu *hardware.NPU, c *search.Candidate) float64 {
	cores := npu.Cores
	for _, op := range c.Schedule.Pass.Ops() {
		cores = max(cores, c.Schedule.Ops[op].CoreCount())
	}
	pes := float64(npu.Array.Rows) * float64(npu.Array.Cols) * float64(cores)
	if pes <= 0 || c.Cost.Cycles <= 0 {
		return 0
	}
	return float64(c.Cost.MACs) / (pes * c.Cost.Cycles)
}
