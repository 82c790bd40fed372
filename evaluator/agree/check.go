package agree

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/evaluator/cases"
	"github.com/npu-tune/npu-tune/evaluator/simulator"
	"github.com/npu-tune/npu-tune/space"
)

// ErrDisagree is wrapped where the closed form and the simulator differ.
var ErrDisagree = errors.New("closed form and simulator disagree")

// Check costs one schedule with both evaluators and compares every figure:
// integers exactly, cycles and energy within cases.Tolerance, and whether the
// schedule is legal and fits the SPM.
//
// The error wraps ErrDisagree and lists each figure of the closed form that
// differs, with what the simulator has. A schedule with more tile operations
// than the simulator takes gives an error that wraps simulator.ErrTooLarge
// (compare simulator.Shrink's instead), a problem that is none the simulator's.
// Schedules that both find illegal agree.
func Check(p *space.Problem, s *space.Schedule) error {
	schedules := []space.Schedule{*s}
	closed, tiled := make([]evaluator.Result, 1), make([]evaluator.Result, 1)
	ctx := context.Background()
	if err := simulator.New().Evaluate(ctx, p, schedules, tiled); err != nil {
		return err
	}
	if tiled[0].Status == evaluator.Unsupported {
		return fmt.Errorf("%w: %s", simulator.ErrTooLarge, tiled[0].Reason)
	}
	if err := (analytic.Evaluator{}).Evaluate(ctx, p, schedules, closed); err != nil {
		return err
	}
	return Compare(&closed[0], &tiled[0])
}

// Compare reports each figure of the closed form's result that differs from
// the simulator's, wrapped in ErrDisagree.
func Compare(closed, tiled *evaluator.Result) error {
	diffs := cases.Diff(&closed.Cost, &tiled.Cost)
	if g, w := closed.Cost.ReductionBytes, tiled.Cost.ReductionBytes; g != w {
		diffs = append(diffs, fmt.Sprintf("reduction_bytes is %d, want %d", g, w))
	}
	if closed.Status != tiled.Status {
		diffs = append(diffs, fmt.Sprintf("status is %d (%s), want %d (%s)", closed.Status, closed.Reason, tiled.Status, tiled.Reason))
	}
	if len(diffs) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrDisagree, strings.Join(diffs, "; "))
}
