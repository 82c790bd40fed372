package igo

import (
	"context"
	"fmt"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/exhaustive"
	"github.com/npu-tune/npu-tune/space"
	"github.com/npu-tune/npu-tune/space/handtuned"
)

// best returns the fastest schedule under constraints, proven; nil where none
// fits. Seeds are schedules to begin with.
func best(ctx context.Context, p *space.Problem, c space.Constraints, seeds ...space.Schedule) (*search.Candidate, error) {
	out, err := exhaustive.New().Search(ctx, &search.Request{
		Problem: p, Constraints: c, Objective: search.Latency, Evaluator: analytic.Evaluator{}, Seeds: seeds,
	})
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !out.Proven:
		return nil, fmt.Errorf("the search of layer %q ended without a proof", p.Layer.Name)
	}
	return out.Best(), nil
}

// handTuned returns a hand-tuned schedule or family by name.
func handTuned(p *space.Problem, name string) handtuned.Baseline {
	for _, b := range handtuned.For(p) {
		if b.Name == name {
			return b
		}
	}
	return handtuned.Baseline{}
}

// family returns the only family of a hand-tuned name, with the dimensions
// split in one way if parts has any.
func family(p *space.Problem, name string, parts ...[space.NumDims]uint16) space.Constraints {
	c := handTuned(p, name).Families[0]
	c.Partitions = parts
	return c
}

// costOf returns the cost of a schedule and whether it fits.
func costOf(p *space.Problem, s *space.Schedule) (evaluator.Cost, bool) {
	var c evaluator.Cost
	fits := analytic.New(p).Cost(s, &c)
	return c, fits
}

var majors = [NumOrders]string{DXMajor: handtuned.DXMajor, DWMajor: handtuned.DWMajor}

// major returns what a layer takes in one of the orders in which both
// gradients walk dY alike, with the best tile extents and hold levels.
func (l *layerStudy) major(ctx context.Context, p Partition, o Order) (Figures, error) {
	if l.problem.HW.Cores > 1 {
		split, ok := p.split(l.problem)
		if p == Whole || !ok {
			return impossible(), nil
		}
		return l.searchMajor(ctx, l.problem, o, split)
	}
	return l.inParts(p, func(part *space.Problem) (Figures, error) { return l.searchMajor(ctx, part, o) })
}

func (l *layerStudy) searchMajor(ctx context.Context, p *space.Problem, o Order, split ...[space.NumDims]uint16) (Figures, error) {
	found, err := best(ctx, p, family(p, majors[o], split...))
	if err != nil || found == nil {
		return impossible(), err
	}
	if p == l.problem {
		l.seeds = append(l.seeds, found.Schedule)
	}
	return figuresOf(&found.Cost), nil
}

// inParts adds up the parts of a layer that one core runs one after the other.
func (l *layerStudy) inParts(p Partition, run func(*space.Problem) (Figures, error)) (Figures, error) {
	if p == Whole {
		return run(l.problem)
	}
	parts := p.cut(l.problem)
	if len(parts) == 0 {
		return impossible(), nil
	}
	var total Figures
	var count int64
	for i := range parts {
		f, err := run(&parts[i].problem)
		if err != nil {
			return impossible(), err
		}
		total = total.plus(f.times(parts[i].count))
		count += parts[i].count
	}
	return total.plus(p.sums(l.problem, count)), nil
}
