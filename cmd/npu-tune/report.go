package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/models/zoo"
	"github.com/npu-tune/npu-tune/results"
	"github.com/npu-tune/npu-tune/results/table"
	"github.com/npu-tune/npu-tune/search/tuner"
)

// document makes a run's exported result.
func document(o *options, model models.Model, npu *hardware.NPU, r *tuner.Result) *results.Document {
	run := &results.Run{
		Tool: "npu-tune " + version, Model: describeModel(o, model), NPU: npu,
		Search: results.Search{
			Pass: o.passes.String(), Objective: o.objective.String(), Strategy: o.strategy.Name(),
			Evaluator: analytic.Evaluator{}.Name(), Seed: o.seed, MaxEvals: o.maxEvals, Ended: o.ended,
		},
	}
	for i := range r.Jobs {
		run.Jobs = append(run.Jobs, jobInput(model, &r.Jobs[i]))
	}
	return results.New(run, o.objective)
}

// describeModel gives the sizes that the network was built with.
func describeModel(o *options, model models.Model) results.Model {
	if o.gemm != nil {
		return results.Model{Name: model.Name}
	}
	if o.source != nil {
		return o.source.results(model)
	}
	m := results.Model{Name: model.Name, Batch: or(o.size.Batch, zoo.DefaultBatch), Notes: model.Notes}
	if info, err := zoo.Describe(model.Name); err == nil {
		m.Image, m.Seq = or(o.size.Image, info.DefaultImage), or(o.size.Seq, info.DefaultSeq)
	}
	return m
}

// or returns v, or what holds where it is 0.
func or(v, otherwise int64) int64 {
	if v == 0 {
		return otherwise
	}
	return v
}

func jobInput(model models.Model, j *tuner.Job) results.JobInput {
	in := results.JobInput{Count: j.Layer.Occurrences(), Problem: j.Problem, Outcome: j.Outcome, Interleaved: j.Interleaved}
	for _, v := range j.Variants {
		in.Variants = append(in.Variants, results.VariantInput{SPM: v.SPM, Bandwidth: v.Bandwidth, Outcome: v.Outcome})
	}
	for _, i := range j.Members {
		in.Layers = append(in.Layers, model.Layers[i].Name)
	}
	for _, b := range j.Baselines {
		in.Baselines = append(in.Baselines, results.BaselineInput{Name: b.Name, Best: b.Best, Reason: b.Reason, Proven: b.Proven, Breaks: b.Breaks})
	}
	return in
}

// printDocument prints the layers, the totals and what was gained; as CSV the
// layers, as JSON the document. Explain adds what binds each pass.
func printDocument(w io.Writer, d *results.Document, f table.Format, explain bool) error {
	switch f {
	case table.JSON:
		data, err := d.Encode()
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	case table.CSV:
		return d.LayersTable().Write(w, f)
	}
	if _, err := fmt.Fprintf(w, "%s\n\n", d.Title()); err != nil {
		return err
	}
	if err := printTables(w, f, d.LayersTable(), d.TotalsTable()); err != nil {
		return err
	}
	if d.HasSensitivity() {
		if err := printTables(w, f, d.SensitivityTable()); err != nil {
			return err
		}
	}
	if explain {
		if err := printWhy(w, d); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s\n", d.Summary)
	return err
}

// printWhy says of each pass what binds it.
func printWhy(w io.Writer, d *results.Document) error {
	for i := range d.Jobs {
		j := &d.Jobs[i]
		if j.Why == nil {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s\n  %s\n\n", j.Name(), strings.Join(j.Why.Text, "\n  ")); err != nil {
			return err
		}
	}
	return nil
}

// printTables prints tables with a blank line after each.
func printTables(w io.Writer, f table.Format, tables ...*table.Table) error {
	for _, t := range tables {
		if err := t.Write(w, f); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}

// finish says on stderr how the run ended: times belong nowhere else. An
// interrupted run is an error.
func finish(w io.Writer, o *options, d *results.Document, r *tuner.Result) error {
	proven := 0
	for i := range d.Jobs {
		if d.Jobs[i].Found.Proven {
			proven++
		}
	}
	where := ""
	if o.out != "" {
		where = ", written to " + o.out
	}
	status := fmt.Sprintf("%d of %d passes proven optimal after %s and %d evaluations%s", proven, len(d.Jobs),
		r.Timing.Elapsed.Round(10*time.Millisecond), r.Timing.Evaluations, where)
	switch o.ended {
	case results.Interrupted:
		return fmt.Errorf("%w: these are the best schedules so far, %s", errInterrupted, status)
	case results.OverBudget:
		_, err := fmt.Fprintf(w, "The budget of %s is used up: these are the best schedules so far, %s.\n", o.budget, status)
		return err
	}
	_, err := fmt.Fprintf(w, "%s.\n", status)
	return err
}
