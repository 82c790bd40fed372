package tuner

import (
	"context"
	"fmt"
	"time"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

const notSearched = "the budget ended before it was searched"

// costFixed costs a task's fixed hand-tuned schedules and its smallest one. It
// is done for all tasks before any is searched, so that each has a schedule
// whenever the budget ends; therefore the analytic evaluator, which takes
// microseconds, is not interrupted.
func (t *tuning) costFixed(ctx context.Context, k *task) error {
	k.outcome.Strategy = t.plan.Strategy.Name()
	k.handtuned = t.handtuned(k.problem)
	k.listFamilies()
	k.baselines = make([]Baseline, len(k.handtuned))
	schedules, of := []space.Schedule{k.problem.Smallest()}, []*Baseline{nil}
	for i, b := range k.handtuned {
		k.baselines[i] = Baseline{Name: b.Name, Description: b.Description, Reason: notSearched}
		if b.Fixed != nil {
			k.baselines[i].Fixed = true
			schedules, of = append(schedules, *b.Fixed), append(of, &k.baselines[i])
		}
	}
	if isAnalytic(t.plan.Evaluator) {
		ctx = context.WithoutCancel(ctx)
	}
	results, err := t.cost(ctx, k, schedules)
	if err != nil {
		return unlessEnded(ctx, err)
	}
	for i := range results {
		c := search.Candidate{Schedule: schedules[i], Cost: results[i].Cost}
		fits := results[i].Status == evaluator.OK
		if fits {
			k.learn(&t.plan, c)
		}
		if b := of[i]; b != nil {
			b.Proven, b.Reason = true, results[i].Reason
			if fits {
				b.Best = &c
			}
		}
	}
	return nil
}

// cost runs the plan's evaluator on a task's schedules.
func (t *tuning) cost(ctx context.Context, k *task, schedules []space.Schedule) ([]evaluator.Result, error) {
	results := make([]evaluator.Result, len(schedules))
	if err := t.plan.Evaluator.Evaluate(ctx, k.problem, schedules, results); err != nil {
		return nil, err
	}
	k.extra += int64(len(schedules))
	for i := range results {
		if results[i].Status == evaluator.Illegal {
			return nil, fmt.Errorf("hand-tuned schedule: %w: %s", evaluator.ErrIllegal, results[i].Reason)
		}
	}
	return results, nil
}

// unlessEnded drops the error of whatever the end of the context stopped.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func isAnalytic(e evaluator.Evaluator) bool {
	_, ok := e.(analytic.Evaluator)
	return ok
}

// fraction returns a context that ends after a part of the time that ctx has
// left; ctx itself where it has no deadline.
func fraction(ctx context.Context, part float64) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Duration(part*float64(time.Until(deadline))))
}
