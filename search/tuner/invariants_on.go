//go:build invariants

package tuner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/verify"
)

// errInvariant is an internal error: a schedule that won is not what the
// search believes.
var errInvariant = errors.New("invariant broken: a best schedule fails its cross-check")

// crossCheck holds the best schedule of every task to the simulator, and its
// numbers to a reference: whole, or shrunk where it is large. It runs after
// the budget too.
func (t *tuning) crossCheck(ctx context.Context) error {
	group, ctx := errgroup.WithContext(context.WithoutCancel(ctx))
	group.SetLimit(t.plan.Workers)
	for _, k := range t.tasks {
		if best := k.outcome.Best(); best != nil {
			group.Go(func() error { return k.crossCheck(ctx, isAnalytic(t.plan.Evaluator)) })
		}
	}
	return group.Wait()
}

// crossCheck checks the task's best schedule; its cost only where that is the
// closed form's.
func (t *task) crossCheck(ctx context.Context, analytic bool) error {
	best := t.outcome.Best()
	var cost *evaluator.Cost
	if analytic {
		cost = &best.Cost
	}
	_, err := new(verify.Checker).Check(ctx, t.problem, &best.Schedule, cost)
	var failure *verify.Failure
	if !errors.As(err, &failure) {
		return err
	}
	small, err := json.Marshal(failure.Case)
	return errors.Join(fmt.Errorf("%w: %s: %w, in the case %s", errInvariant, t.name, failure, small), err)
}
