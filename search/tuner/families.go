package tuner

import (
	"context"
	"fmt"
	"reflect"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

// family is a set of schedules and its best member, shared by the baselines
// that name it.
type family struct {
	constraints space.Constraints
	best        *search.Candidate
	proven      bool
	reached     bool // it was searched, to its end or not
}

// free reports whether the family is the whole space, whose best member the
// strategy may prove.
func (f *family) free() bool { return reflect.DeepEqual(f.constraints, space.Constraints{}) }

// family returns the task's entry of a set of schedules.
func (t *task) family(c space.Constraints) *family {
	for _, f := range t.families {
		if reflect.DeepEqual(f.constraints, c) {
			return f
		}
	}
	f := &family{constraints: c}
	t.families = append(t.families, f)
	return f
}

// listFamilies notes the distinct families of all baselines.
func (t *task) listFamilies() {
	for _, b := range t.handtuned {
		for _, c := range b.Families {
			t.family(c)
		}
	}
}

// searchFamilies finds the best members of the task's families that are not
// proven yet: of the free ones, or of the others.
func (t *tuning) searchFamilies(ctx context.Context, k *task, free bool) error {
	if !t.plan.Baselines {
		return nil
	}
	var open []*family
	for _, f := range k.families {
		if !f.proven && f.free() == free {
			open = append(open, f)
		}
	}
	for i, f := range open {
		slice, cancel := fraction(ctx, 1/float64(len(open)-i))
		err := t.searchFamily(slice, k, f)
		cancel()
		if err != nil {
			return fmt.Errorf("hand-tuned family: %w", err)
		}
	}
	for i := range k.baselines {
		if !k.baselines[i].Fixed {
			t.compose(k, i)
		}
	}
	return nil
}

// searchFamily finds the best member of a family, as far as the context
// allows.
func (t *tuning) searchFamily(ctx context.Context, k *task, f *family) error {
	if ctx.Err() != nil {
		return nil
	}
	if f.free() && k.outcome.Proven && !k.constrained() {
		f.reached, f.proven, f.best = true, true, k.outcome.Best()
		return nil
	}
	o, err := t.prover.Search(ctx, &search.Request{
		Problem:     k.problem,
		Constraints: f.constraints,
		Objective:   t.plan.Objective,
		Evaluator:   t.plan.Evaluator,
		MaxEvals:    t.plan.MaxEvals,
		Seed:        k.seed,
	})
	if err != nil {
		return unlessEnded(ctx, err)
	}
	k.extra += o.Stats.Evaluations
	f.reached, f.proven = true, o.Proven
	best := o.Best()
	if best == nil {
		return nil
	}
	if !isAnalytic(t.plan.Evaluator) { // the proof is of analytic costs
		f.proven = false
		results, err := t.cost(ctx, k, []space.Schedule{best.Schedule})
		if err != nil {
			return unlessEnded(ctx, err)
		}
		if results[0].Status != evaluator.OK {
			return nil
		}
		best.Cost = results[0].Cost
	}
	if f.best == nil || t.plan.Objective.Compare(&best.Cost, &f.best.Cost) < 0 {
		f.best = best
	}
	k.learn(&t.plan, *f.best)
	return nil
}

// compose makes a baseline of what is known of its families.
func (t *tuning) compose(k *task, i int) {
	b := &k.baselines[i]
	b.Best, b.Proven, b.Reason = nil, true, ""
	reached := true
	for _, c := range k.handtuned[i].Families {
		f := k.family(c)
		b.Proven = b.Proven && f.proven
		reached = reached && f.reached
		if f.best != nil && (b.Best == nil || t.plan.Objective.Compare(&f.best.Cost, &b.Best.Cost) < 0) {
			b.Best = f.best
		}
	}
	switch {
	case b.Best != nil:
	case b.Proven:
		b.Reason = "no member of the family fits the SPM"
	case reached:
		b.Reason = "the budget ended before a member that fits was found"
	default:
		b.Reason = notSearched
	}
}
