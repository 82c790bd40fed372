package simulator

import (
	"context"
	"errors"
	"fmt"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/space"
)

// DefaultMaxOps bounds the tile operations of one schedule; each takes a few
// bytes of memory while it is simulated.
const DefaultMaxOps = int64(1) << 26

// Simulator costs schedules tile by tile. The zero value is ready; it keeps no
// state between calls.
type Simulator struct {
	// MaxOps is the most tile operations of one core that a schedule may have
	// (larger ones are Unsupported: see Shrink); 0 means DefaultMaxOps.
	MaxOps int64
}

// New returns a Simulator with default limits.
func New() *Simulator { return &Simulator{} }

var _ evaluator.Evaluator = (*Simulator)(nil)

// Name implements evaluator.Evaluator.
func (*Simulator) Name() string { return "simulator/1" }

// Evaluate implements evaluator.Evaluator. Cost is filled for infeasible
// schedules too. It fails for a problem that is no problem, and when ctx ends.
func (s *Simulator) Evaluate(ctx context.Context, problem *space.Problem, schedules []space.Schedule, results []evaluator.Result) error {
	if len(schedules) != len(results) {
		return fmt.Errorf("%d schedules but room for %d results", len(schedules), len(results))
	}
	if err := checkProblem(problem); err != nil {
		return err
	}
	for i := range schedules {
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := s.evaluate(ctx, problem, &schedules[i])
		if err != nil {
			return err
		}
		results[i] = r
	}
	return nil
}

func (s *Simulator) evaluate(ctx context.Context, p *space.Problem, sched *space.Schedule) (evaluator.Result, error) {
	if err := s.admit(p, sched); err != nil {
		status := evaluator.Illegal
		if errors.Is(err, ErrTooLarge) {
			status = evaluator.Unsupported
		}
		return evaluator.Result{Status: status, Reason: err.Error()}, nil
	}
	c, fit, err := cost(ctx, p, sched)
	if err != nil {
		return evaluator.Result{}, err
	}
	if fit != nil {
		return evaluator.Result{Cost: c, Status: evaluator.Infeasible, Reason: fit.Error()}, nil
	}
	return evaluator.Result{Cost: c}, nil
}

// ErrTooLarge is wrapped where a schedule has more tile operations than the
// simulator's limit.
var ErrTooLarge = errors.New("too many tile operations to simulate")

// admit reports why a schedule cannot be simulated: it is illegal or too large.
func (s *Simulator) admit(p *space.Problem, sched *space.Schedule) error {
	if err := p.Legal(sched); err != nil {
		return err
	}
	limit := s.MaxOps
	if limit == 0 {
		limit = DefaultMaxOps
	}
	for _, r := range plan(p, sched) {
		// Steps are at most 2³¹ each: a float shows what 64 bits may not hold.
		var n float64
		for i := range r.gemms {
			st := &r.gemms[i].steps
			n += float64(st[0]) * float64(st[1]) * float64(st[2])
		}
		if n > float64(limit) {
			return fmt.Errorf("%w: %.0f, the limit is %d", ErrTooLarge, n, limit)
		}
	}
	return nil
}

// ErrProblem is wrapped where a problem cannot be simulated at all.
var ErrProblem = errors.New("invalid problem")

// checkProblem reports a layer or hardware that makes no sense.
func checkProblem(p *space.Problem) error {
	if err := p.Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrProblem, err)
	}
	if err := p.HW.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrProblem, err)
	}
	return nil
}
