package main

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
	"github.com/npu-tune/npu-tune/space/handtuned"
)

// solved is a bare problem with what was found.
type solved struct {
	problem *space.Problem
	outcome search.Outcome
}

// infeasible reports whether it is proven that nothing fits.
func (s *solved) infeasible() bool { return s.outcome.Proven && s.outcome.Best() == nil }

// solveAll solves problems, several at a time. What each gets of the budget is
// what is left, divided among those that have not begun.
func solveAll(ctx context.Context, o *options, family string, problems []space.Problem, limits restrict) ([]solved, error) {
	found := make([]solved, len(problems))
	var left atomic.Int64
	left.Store(int64(len(problems)))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(o.workers)
	for i := range problems {
		group.Go(func() error {
			part := min(1, float64(o.workers)/float64(left.Add(-1)+1))
			slice, cancel := timeShare(ctx, part)
			defer cancel()
			outcome, err := solveOne(slice, o, family, &problems[i], limits)
			if err != nil && slice.Err() == nil {
				return fmt.Errorf("problems[%d]: %w", i, err)
			}
			found[i] = solved{&problems[i], outcome}
			return nil
		})
	}
	return found, group.Wait()
}

// timeShare returns a context that ends after a part of the time that ctx has left;
// ctx itself where it has no end.
func timeShare(ctx context.Context, part float64) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Duration(part*float64(time.Until(deadline))))
}

// solveOne searches the whole space of a problem, or one family of schedules.
func solveOne(ctx context.Context, o *options, family string, p *space.Problem, limits restrict) (search.Outcome, error) {
	request := search.Request{
		Problem: p, Objective: o.objective, Evaluator: analytic.Evaluator{}, MaxEvals: o.maxEvals, Seed: o.seed,
	}
	if limits != nil {
		request.Constraints = limits(p.Layer, p.Pass)
	}
	if family == "" {
		for _, b := range handtuned.For(p) {
			if b.Fixed != nil {
				request.Seeds = append(request.Seeds, *b.Fixed)
			}
		}
		request.Seeds = append(request.Seeds, p.Smallest())
		return o.strategy.Search(ctx, &request)
	}
	for _, b := range handtuned.For(p) {
		if b.Name == family && b.Fixed != nil {
			return costFixed(ctx, o.objective, p, b.Fixed)
		} else if b.Name == family {
			return solveFamilies(ctx, o.strategy, request, b.Families)
		}
	}
	return search.Outcome{}, fmt.Errorf("no family %q", family)
}

// costFixed is the search of a family with one member.
func costFixed(ctx context.Context, objective search.Objective, p *space.Problem, s *space.Schedule) (search.Outcome, error) {
	result := make([]evaluator.Result, 1)
	if err := (analytic.Evaluator{}).Evaluate(ctx, p, []space.Schedule{*s}, result); err != nil {
		return search.Outcome{}, err
	}
	out := search.Outcome{Strategy: "fixed", Proven: true, Stats: search.Stats{SpaceSize: 1, Evaluations: 1}}
	switch r := &result[0]; r.Status {
	case evaluator.OK:
		out.Top = []search.Candidate{{Schedule: *s, Cost: r.Cost}}
		out.Bound = objective.Value(&r.Cost)
	case evaluator.Infeasible:
		out.Stats.Infeasible = 1
	default:
		return search.Outcome{}, fmt.Errorf("hand-tuned schedule: %s", r.Reason)
	}
	return out, nil
}

// solveFamilies finds the best of several families. What is proven of every
// one is proven of all.
func solveFamilies(ctx context.Context, strategy search.Strategy, request search.Request, families []space.Constraints) (search.Outcome, error) {
	all := search.Outcome{Proven: true, Bound: math.Inf(1)}
	for i, c := range families {
		request.Constraints = c
		slice, cancel := timeShare(ctx, 1/float64(len(families)-i))
		out, err := strategy.Search(slice, &request)
		cancel()
		if err != nil {
			return search.Outcome{}, err
		}
		all.Strategy = out.Strategy
		all.Proven = all.Proven && out.Proven
		if !out.Proven || out.Best() != nil { // of an empty family there is nothing to fall below
			all.Bound = min(all.Bound, out.Bound)
		}
		if best := out.Best(); best != nil && (all.Best() == nil || request.Objective.Compare(&best.Cost, &all.Best().Cost) < 0) {
			all.Top = out.Top
		}
		all.Stats.SpaceSize += out.Stats.SpaceSize
		all.Stats.Evaluations += out.Stats.Evaluations
		all.Stats.Bounds += out.Stats.Bounds
		all.Stats.Cut += out.Stats.Cut
		all.Stats.Infeasible += out.Stats.Infeasible
	}
	return all, nil
}
