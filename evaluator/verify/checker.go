package verify

import (
	"context"
	"fmt"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/agree"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/evaluator/simulator"
	"github.com/npu-tune/npu-tune/space"
)

// Limits of a Checker that is told none: what a few hundred milliseconds allow.
const (
	DefaultMaxOps  = int64(1) << 20
	DefaultMaxMACs = int64(1) << 21
)

// Figures is how many figures of two costs are compared.
const Figures = 9 + 2*int(space.NumTensors) + int(space.NumRegions)

// Checker checks schedules. The zero value is ready; it is safe for concurrent
// use.
type Checker struct {
	// MaxOps is the most tile operations of one core that are simulated: a
	// schedule with more is shrunk. 0 means DefaultMaxOps.
	MaxOps int64
	// MaxMACs is the most multiply-accumulates of one operation, all batches,
	// that are replayed with numbers: a problem with more is shrunk. 0 means DefaultMaxMACs.
	MaxMACs int64
	// Seed draws the numbers of the replay.
	Seed uint64

	closed  evaluator.Evaluator // nil: the closed form
	machine machine             // nil: the simulator
}

// machine runs schedules tile by tile.
type machine interface {
	Run(context.Context, *space.Problem, *space.Schedule, simulator.RunOptions) (simulator.Report, error)
	Replay(context.Context, *space.Problem, *space.Schedule, uint64) (simulator.ReplayReport, error)
}

// Report says what was checked.
type Report struct {
	Ops       int64 // tile operations of the schedule on one core
	MACs      int64 // of one of the pass's operations, all batches
	Simulated Part
	Replayed  Part
	Elements  int64   // of outputs, compared with the reference in each number type
	MaxError  float64 // largest relative error in float32
	// Fields is how many figures of the closed form equal the simulator's,
	// Stored how many equal the stored cost's.
	Fields, Stored int
}

// Part is the problem that a check ran: the whole one or a shrunk one of the
// same structure (simulator.ShrinkTo).
type Part struct {
	Whole    bool
	Problem  space.Problem
	Schedule space.Schedule
	Ops      int64 // tile operations of one core
}

// Check checks a schedule of a valid problem, and its stored cost where there
// is one. Disagreement is a *Failure; other errors are the context's or those
// of a problem that cannot be simulated at all. The report holds what passed
// before the error.
func (c *Checker) Check(ctx context.Context, p *space.Problem, s *space.Schedule, stored *evaluator.Cost) (Report, error) {
	r := Report{MACs: p.Layer.MACs()}
	if err := p.Legal(s); err != nil {
		return r, whole(p, s, stored, err)
	}
	r.Ops = simulator.Ops(p, s)
	cost, err := c.closedForm(ctx, p, s)
	if err != nil {
		return r, whole(p, s, stored, err)
	}
	if stored != nil {
		if err := agree.Compare(&evaluator.Result{Cost: *stored}, &evaluator.Result{Cost: cost}); err != nil {
			return r, whole(p, s, stored, fmt.Errorf("%w by the closed form: %s", ErrStored, differences(err)))
		}
		r.Stored = Figures
	}
	limits := simulator.Limits{Ops: c.maxOps()}
	r.Simulated = part(p, s, limits)
	if err := c.sameCost(ctx, &r.Simulated.Problem, &r.Simulated.Schedule); err != nil {
		return r, c.smallest(ctx, &r.Simulated, c.sameCost, err)
	}
	r.Fields = Figures
	limits.MACs = c.maxMACs()
	r.Replayed = part(p, s, limits)
	return r, c.replay(ctx, &r)
}

// replay runs the report's second part with numbers.
func (c *Checker) replay(ctx context.Context, r *Report) error {
	q := &r.Replayed
	if q.Problem.Layer != r.Simulated.Problem.Layer || q.Schedule != r.Simulated.Schedule {
		if err := c.sameCost(ctx, &q.Problem, &q.Schedule); err != nil {
			return c.smallest(ctx, q, c.sameCost, err)
		}
	}
	numbers, err := c.tiled().Replay(ctx, &q.Problem, &q.Schedule, c.Seed)
	if err != nil {
		return c.smallest(ctx, q, c.sameNumbers, err)
	}
	for _, t := range numbers.Tensors {
		r.Elements += t.Elements
		r.MaxError = max(r.MaxError, t.MaxError)
	}
	return nil
}

// part shrinks a problem to the limits, if it is beyond them.
func part(p *space.Problem, s *space.Schedule, limits simulator.Limits) Part {
	q, t := simulator.ShrinkTo(*p, *s, limits)
	return Part{Whole: q.Layer.SameProblem(p.Layer) && t == *s, Problem: q, Schedule: t, Ops: simulator.Ops(&q, &t)}
}

// closedForm costs a legal schedule, which must fit the SPM.
func (c *Checker) closedForm(ctx context.Context, p *space.Problem, s *space.Schedule) (evaluator.Cost, error) {
	var e evaluator.Evaluator = analytic.Evaluator{}
	if c.closed != nil {
		e = c.closed
	}
	results := make([]evaluator.Result, 1)
	if err := e.Evaluate(ctx, p, []space.Schedule{*s}, results); err != nil {
		return evaluator.Cost{}, err
	}
	if r := &results[0]; r.Status != evaluator.OK {
		return r.Cost, fmt.Errorf("%w: %s", ErrRefused, r.Reason)
	}
	return results[0].Cost, nil
}

// sameCost reports where the closed form and a run on the SPM disagree.
func (c *Checker) sameCost(ctx context.Context, p *space.Problem, s *space.Schedule) error {
	closed, err := c.closedForm(ctx, p, s)
	if err != nil {
		return err
	}
	run, err := c.tiled().Run(ctx, p, s, simulator.RunOptions{Buckets: 1})
	if err != nil {
		return err
	}
	return agree.Compare(&evaluator.Result{Cost: closed}, &evaluator.Result{Cost: run.Cost})
}

// sameNumbers reports where a replay computes something else than the
// reference.
func (c *Checker) sameNumbers(ctx context.Context, p *space.Problem, s *space.Schedule) error {
	_, err := c.tiled().Replay(ctx, p, s, c.Seed)
	return err
}

func (c *Checker) tiled() machine {
	if c.machine != nil {
		return c.machine
	}
	return simulator.New()
}

func (c *Checker) maxOps() int64 {
	if c.MaxOps > 0 {
		return c.MaxOps
	}
	return DefaultMaxOps
}

func (c *Checker) maxMACs() int64 {
	if c.MaxMACs > 0 {
		return c.MaxMACs
	}
	return DefaultMaxMACs
}
