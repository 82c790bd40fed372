package exhaustive

import (
	"context"
	"fmt"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

// Strategy proves optima by branch and bound with the analytic evaluator; the
// request's own evaluator is not used.
type Strategy struct{ maxQueue int }

var _ search.Strategy = Strategy{}

// New returns the strategy.
func New() Strategy { return Strategy{maxQueue: maxQueue} }

// Name returns the strategy's name.
func (Strategy) Name() string { return "exhaustive" }

// Search implements search.Strategy.
func (x Strategy) Search(ctx context.Context, r *search.Request) (search.Outcome, error) {
	if err := r.Problem.Check(); err != nil {
		return search.Outcome{}, fmt.Errorf("exhaustive: %w", err)
	}
	s := newSolver(r)
	s.maxQueue = x.maxQueue
	if r.Problem.Pass == space.Backward {
		s.backward(ctx)
	} else {
		s.alone(ctx, r.Problem.Pass.Ops()[0])
	}
	if r.Pareto {
		s.paretoProven = s.pareto(ctx)
	}
	return s.outcome(), nil
}

// solver answers one request.
type solver struct {
	request  *search.Request
	problem  space.Problem // with the reserved SPM taken off
	model    *analytic.Model
	maxQueue int
	archive  *search.Archive
	front    search.Front
	bound    float64
	proven   bool
	// paretoProven says that front holds the front of the whole space.
	paretoProven bool
	stats        search.Stats
	flows        [space.NumOps]uint8
}

func newSolver(r *search.Request) *solver {
	s := &solver{request: r, problem: *r.Problem, archive: search.NewArchive(r.Objective, r.Top), proven: true}
	if reserved := r.Constraints.ReservedSPMBytes; reserved > 0 && s.problem.HW.Pools[0].Bytes > 0 {
		// a pool of 0 bytes counts as unlimited
		s.problem.HW.Pools[0].Bytes = max(s.problem.HW.Pools[0].Bytes-reserved, 1)
	}
	s.model = analytic.NewBounding(&s.problem)
	for op := range space.NumOps {
		s.flows[op] = flowMask(&s.problem.HW, r.Constraints.Ops[op].Dataflows)
	}
	if all, err := space.NewSpace(&s.problem, r.Constraints); err == nil {
		s.stats.SpaceSize = all.Size()
	}
	for i := range r.Seeds {
		seed := &r.Seeds[i]
		var c evaluator.Cost
		if s.problem.Legal(seed) == nil && r.Constraints.Allow(&s.problem, seed) == nil && s.model.Cost(seed, &c) {
			s.show(seed, &c)
		}
		s.stats.Evaluations++
	}
	return s
}

// flowMask returns the dataflows that hardware and constraints allow.
func flowMask(hw *hardware.Params, allowed []hardware.Dataflow) uint8 {
	if len(allowed) == 0 {
		allowed = []hardware.Dataflow{hardware.OS, hardware.WS, hardware.IS}
	}
	mask := uint8(0)
	for _, f := range allowed {
		if hw.HasDataflow(f) {
			mask |= 1 << f
		}
	}
	return mask
}

// show puts a schedule that fits into the answer's lists.
func (s *solver) show(sched *space.Schedule, c *evaluator.Cost) {
	s.archive.Add(sched, c)
	if s.request.Pareto {
		s.front.Add(sched, c)
	}
}

// cutoff returns the objective of the best schedule shown.
func (s *solver) cutoff() float64 {
	if best := s.archive.Best(); len(best) > 0 {
		return s.request.Objective.Value(&best[0].Cost)
	}
	return inf
}

// engine returns an engine without structures.
func (s *solver) engine() *engine {
	return &engine{
		model:     s.model,
		objective: s.request.Objective,
		cutoff:    inf,
		maxQueue:  s.maxQueue,
		stats:     &s.stats,
		limit:     s.request.MaxEvals,
		progress:  s.request.Progress,
	}
}

// eachPartition calls f with a generator for every way to split the
// dimensions over the cores.
func (s *solver) eachPartition(f func(*generator)) {
	c := &s.request.Constraints
	g := &generator{problem: &s.problem, pass: s.problem.Pass, constraints: c, free: unconstrained(c), freeHolds: freeHolds(c)}
	cores := max(s.problem.HW.Cores, 1)
	for m := int64(1); m <= min(cores, s.problem.Layer.M); m++ {
		for n := int64(1); m*n <= cores && n <= s.problem.Layer.N; n++ {
			for k := int64(1); m*n*k <= cores && k <= s.problem.Layer.K; k++ {
				if parts := [space.NumDims]uint16{uint16(m), uint16(n), uint16(k)}; c.AllowsPartition(parts) {
					g.partition(parts)
					f(g)
				}
			}
		}
	}
}

// freeHolds reports whether hold levels are free, so that of those that cost the
// same only the deepest matters.
func freeHolds(c *space.Constraints) bool {
	for i := range c.Ops {
		if o := &c.Ops[i]; o.Hold != [space.NumDims]uint8{} || o.NoPartialSums {
			return false
		}
	}
	return !c.SeparateDY
}

// unconstrained reports whether orders, holds, tiles and sharing are free, so
// that equivalent structures may be left out.
func unconstrained(c *space.Constraints) bool {
	if c.Shared != 0 || c.MaxBurst != 0 || c.MinBurst != 0 || c.SeparateDY {
		return false
	}
	for i := range c.Ops {
		o := &c.Ops[i]
		if len(o.Orders) > 0 || o.Hold != [space.NumDims]uint8{} || o.NoPartialSums ||
			o.TileMultiple != [space.NumDims]int64{} || o.TileMax != [space.NumDims]int64{} {
			return false
		}
	}
	return true
}

// alone searches a pass of one operation.
func (s *solver) alone(ctx context.Context, op space.Op) {
	e := s.engine()
	e.cutoff = s.cutoff()
	e.exact = s.model.Cost
	e.accept = s.accept()
	e.seen = s.show
	s.fill(e, op)
	s.proven = e.run(ctx)
	s.bound = min(e.dropped, s.cutoff())
}

// accept returns a check of the constraints that structures do not express,
// nil if there are none.
func (s *solver) accept() func(*space.Schedule) bool {
	if unconstrained(&s.request.Constraints) {
		return nil
	}
	return func(x *space.Schedule) bool {
		if s.request.Constraints.SeparateDY && s.problem.SharesDY(x) {
			return false
		}
		if s.request.Constraints.MinBurst > 1 && s.request.Constraints.Allow(&s.problem, x) != nil {
			return false
		}
		for _, op := range s.problem.Pass.Ops() {
			if !s.acceptOp(op, &x.Ops[op]) {
				return false
			}
		}
		return true
	}
}

// acceptOp checks tile multiples and partial sums of one operation.
func (s *solver) acceptOp(op space.Op, plan *space.OpSchedule) bool {
	c := &s.request.Constraints.Ops[op]
	for d := range space.NumDims {
		if m := c.TileMultiple[d]; m > 1 && plan.Tile[d]%m != 0 && plan.Tile[d] < s.problem.Share(plan, d) {
			return false
		}
	}
	if !c.NoPartialSums {
		return true
	}
	var cost evaluator.Cost
	s.model.Single(op, plan, &cost)
	return cost.Traffic[op.Output()].Read == 0
}

// backward searches a pass of two gradients: as two runs, then as one.
func (s *solver) backward(ctx context.Context) {
	c := &s.request.Constraints
	lower := inf
	if c.Shared == 0 || c.Shared&1 == 1 {
		lower = s.twoRuns(ctx)
	}
	e := s.engine()
	e.cutoff = s.cutoff()
	e.exact = s.model.Cost
	e.accept = s.accept()
	e.seen = s.show
	s.eachPartition(func(g *generator) {
		g.out = func(st *structure) { e.add(st, s.flows) }
		g.pairs()
	})
	s.proven = e.run(ctx) && s.proven
	s.bound = min(lower, e.dropped, s.cutoff())
}

// present returns a candidate as the canonical form of its schedule, or, where
// orders are constrained, as it is: the canonical form may have another order.
// Its cost is that form's, to the last bit.
func (s *solver) present(c *search.Candidate) search.Candidate {
	x := c.Schedule
	if unconstrained(&s.request.Constraints) {
		x = s.request.Problem.Canonical(x)
	}
	to := search.Candidate{Schedule: x}
	s.model.Cost(&x, &to.Cost)
	return to
}

func (s *solver) outcome() search.Outcome {
	o := search.Outcome{Strategy: Strategy{}.Name(), Proven: s.proven, Bound: s.bound, Stats: s.stats}
	best := s.archive.Best()
	for i := range best {
		o.Top = append(o.Top, s.present(&best[i]))
	}
	if o.Proven && len(o.Top) > 0 {
		o.Bound = s.request.Objective.Value(&o.Top[0].Cost)
	}
	if s.request.Pareto {
		o.Pareto, o.ParetoProven = s.front.Sorted(), s.paretoProven
		for i := range o.Pareto {
			o.Pareto[i] = s.present(&o.Pareto[i])
		}
	}
	return o
}
