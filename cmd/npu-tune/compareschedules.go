package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/results"
	"github.com/npu-tune/npu-tune/results/table"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/exhaustive"
	"github.com/npu-tune/npu-tune/space"
	"github.com/npu-tune/npu-tune/space/rules"
)

// errElsewhere is wrapped where a file's schedules are of no layer and pass of
// the result.
var errElsewhere = errors.New("schedule of another layer or pass")

// compareSchedules costs hand-tuned schedules beside those of a result.
func compareSchedules(c *cobra.Command, docs []results.Named, path string, f table.Format) error {
	if len(docs) != 1 {
		return usagef("--schedule: want one result beside it, got %d", len(docs))
	}
	d := docs[0].Document
	schedules, err := rules.LoadSchedules(path)
	if err != nil {
		return usagef("--schedule: %w", err)
	}
	ctx, stop := untilSignal(context.Background())
	defer stop()
	list, err := besides(ctx, d, schedules)
	if err != nil {
		return err
	}
	return results.BesideTable(&d.NPU, path, list).Write(c.OutOrStdout(), f)
}

// besides finds what a file says of each job of a result.
func besides(ctx context.Context, d *results.Document, schedules *rules.Schedules) ([]results.Beside, error) {
	objective, err := search.ParseObjective(d.Search.Objective)
	if err != nil {
		return nil, usage(err)
	}
	var list []results.Beside
	var errs []error
	used := map[string]bool{}
	for i := range d.Jobs {
		j := &d.Jobs[i]
		p := d.Problem(j)
		w, ok := schedules.For(j.Layers, p)
		if !ok {
			continue
		}
		used[w.Field] = true
		b, err := beside(ctx, p, objective, &w)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %w", schedules.File(), j.Name(), err))
			continue
		}
		b.Job = j
		list = append(list, *b)
	}
	for _, entry := range schedules.Unused(func(field string) bool { return used[field] }) {
		errs = append(errs, usagef("%w: %s is of none that the result has", errElsewhere, entry))
	}
	if len(list) == 0 && len(errs) == 0 {
		errs = append(errs, usagef("%s: %w: none of its shapes is one of the result's", schedules.File(), errElsewhere))
	}
	return list, errors.Join(errs...)
}

// beside costs a schedule, or the best of those that have what is written.
func beside(ctx context.Context, p *space.Problem, o search.Objective, w *rules.Written) (*results.Beside, error) {
	if w.Whole != nil {
		return costWhole(ctx, p, w.Whole)
	}
	c, ok := rules.Combine(p.Pass, w.Requires)
	if ok {
		out, err := exhaustive.New().Search(ctx, &search.Request{Problem: p, Objective: o, Constraints: c, Evaluator: analytic.Evaluator{}})
		if err != nil {
			return nil, err
		}
		if best := out.Best(); best != nil {
			return &results.Beside{Schedule: *best, From: written(w.Requires, out.Proven)}, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	clash := rules.Clash(w.Requires, func(some []rules.Requirement) bool { return possible(ctx, p, some) })
	return nil, usagef("%w: %s", rules.ErrClash, rules.Describe(clash))
}

// costWhole costs a schedule of which nothing is open. One that is illegal or
// does not fit is the input's error.
func costWhole(ctx context.Context, p *space.Problem, s *space.Schedule) (*results.Beside, error) {
	result := make([]evaluator.Result, 1)
	if err := (analytic.Evaluator{}).Evaluate(ctx, p, []space.Schedule{*s}, result); err != nil {
		return nil, err
	}
	if result[0].Status != evaluator.OK {
		return nil, usagef("%s", result[0].Reason)
	}
	return &results.Beside{Schedule: search.Candidate{Schedule: *s, Cost: result[0].Cost}, From: "all"}, nil
}

// written lists what was given by hand.
func written(list []rules.Requirement, proven bool) string {
	var parts []string
	for _, r := range list {
		name := r.Field
		if i := strings.Index(name, "]."); i >= 0 {
			name = name[i+2:]
		}
		parts = append(parts, name)
	}
	rest := "the rest is the best there is"
	if !proven {
		rest = "the rest is the best found"
	}
	return strings.Join(parts, ", ") + "; " + rest
}
