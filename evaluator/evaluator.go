package evaluator

import (
	"context"

	"github.com/npu-tune/npu-tune/space"
)

// Status says what came of one schedule.
type Status uint8

// A result is ok, or says why there is no cost.
const (
	OK          Status = iota
	Infeasible         // the schedule does not fit the SPM; Cost is filled where the evaluator can
	Illegal            // not a schedule of the problem
	Unsupported        // the evaluator cannot cost such schedules
	Failed             // the evaluator broke down
)

// Result is the outcome for one schedule.
type Result struct {
	Cost   Cost
	Status Status
	Reason string // for every status but OK
}

// ErrIllegal is wrapped where a schedule is not one of its problem.
var ErrIllegal = space.ErrIllegal

// Evaluator costs schedules of a problem. Implementations are safe for
// concurrent use and return the same result for the same schedule.
type Evaluator interface {
	// Name identifies the evaluator and its version in results.
	Name() string
	// Evaluate costs schedules[i] into results[i]; the slices are of one
	// length. An error means that the evaluator or the context gave up: then
	// results are incomplete.
	Evaluate(ctx context.Context, problem *space.Problem, schedules []space.Schedule, results []Result) error
}
