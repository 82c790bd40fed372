package verify

import (
	"context"
	"errors"
	"strings"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/agree"
	"github.com/npu-tune/npu-tune/evaluator/cases"
	"github.com/npu-tune/npu-tune/evaluator/simulator"
	"github.com/npu-tune/npu-tune/space"
)

var (
	// ErrStored is wrapped where a stored cost is not what the schedule costs.
	ErrStored = errors.New("stored cost is wrong")
	// ErrRefused is wrapped where a schedule does not fit the SPM.
	ErrRefused = errors.New("not a schedule for this NPU")
)

// Failure is a disagreement, with a case that shows it.
type Failure struct {
	// Case is the smallest problem found on which the same check fails. It
	// expects the simulator's cost; where the stored cost is wrong it is the
	// schedule itself and expects the stored cost.
	Case cases.Case
	// Shrunk says that Case is smaller than what was checked.
	Shrunk bool
	Err    error // what disagrees in Case
}

// Error says what disagrees, and on which problem.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the cause: space.ErrIllegal, ErrRefused, ErrStored,
// agree.ErrDisagree, simulator.ErrNumbers or a *simulator.Fault.
func (f *Failure) Unwrap() error { return f.Err }

// whole makes a failure of the schedule itself, unless the check was aborted.
func whole(p *space.Problem, s *space.Schedule, stored *evaluator.Cost, err error) error {
	if kindOf(err) == aborted {
		return err
	}
	f := &Failure{Case: cases.Case{Problem: *p, Schedule: *s}, Err: err}
	if stored != nil {
		expect := *stored
		expect.ReductionBytes = 0 // a case does not say
		f.Case.Expect = &expect
	}
	return f
}

// check is one that a problem passes or fails.
type check func(context.Context, *space.Problem, *space.Schedule) error

// smallest shrinks what a check fails on, unless the check was aborted.
func (c *Checker) smallest(ctx context.Context, from *Part, fails check, err error) error {
	if kindOf(err) == aborted {
		return err
	}
	sh := &shrinker{p: from.Problem, s: from.Schedule, err: err, fails: fails, budget: shrinkBudget}
	sh.shrink(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	f := &Failure{Case: cases.Case{Problem: sh.p, Schedule: sh.s}, Shrunk: sh.shrunk, Err: sh.err}
	if run, err := simulator.New().Run(ctx, &sh.p, &sh.s, simulator.RunOptions{Buckets: 1}); err == nil {
		run.Cost.ReductionBytes = 0
		f.Case.Expect = &run.Cost
	}
	return f
}

// kind is a way to fail.
type kind int

const (
	aborted    kind = iota // says nothing about the schedule
	illegal                // not a schedule of the problem
	refused                // does not fit the SPM
	wrongCost              // stored and closed form, or closed form and simulator, differ
	wrongValue             // numbers differ
	fault                  // the SPM refuses an access
)

// kindOf tells the ways to fail apart: the context ended or the problem cannot
// be simulated at all, or something disagrees.
func kindOf(err error) kind {
	var refusal *simulator.Fault
	switch {
	case errors.As(err, &refusal):
		return fault
	case errors.Is(err, agree.ErrDisagree), errors.Is(err, ErrStored):
		return wrongCost
	case errors.Is(err, simulator.ErrNumbers):
		return wrongValue
	case errors.Is(err, ErrRefused), errors.Is(err, simulator.ErrCapacity):
		return refused
	case errors.Is(err, space.ErrIllegal):
		return illegal
	}
	return aborted
}

// differences strips the sentinel of a comparison.
func differences(err error) string {
	return strings.TrimPrefix(err.Error(), agree.ErrDisagree.Error()+": ")
}
