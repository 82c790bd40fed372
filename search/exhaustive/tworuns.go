package exhaustive

import (
	"context"
	"slices"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

// A meeting is what makes two runs one: both gradients hold the whole of dY
// with tiles of these extents, on cores split alike.
type meeting struct {
	tm, tn int64
	cores  [space.NumDims]uint16
}

// holdsWholeDY returns the meeting that one gradient offers.
func (s *solver) holdsWholeDY(o *space.OpSchedule) (meeting, bool) {
	share := func(d space.Dim) int64 { return s.problem.Share(o, d) }
	return meeting{min(o.Tile[space.M], share(space.M)), min(o.Tile[space.N], share(space.N)), o.Cores}, o.Hold[space.K] == 0
}

// oneRun is the best schedule of one gradient alone.
type oneRun struct {
	plan   space.OpSchedule
	cost   evaluator.Cost
	found  bool
	proven bool
	bound  float64
}

// twoRuns searches the schedules in which dx and dw run one after the other
// with nothing in common, and returns a bound on their objective.
//
// Their costs add, so the best of each make the best pair, unless these two
// would be one run by holding dY alike: then such a pair does not exist, and
// one of the two must hold dY otherwise.
func (s *solver) twoRuns(ctx context.Context) float64 {
	if s.request.Objective == search.EDP {
		return s.twoRunsEDP(ctx)
	}
	return s.bestPair(ctx, nil, nil)
}

func (s *solver) bestPair(ctx context.Context, noDX, noDW []meeting) float64 {
	o := s.request.Objective
	dx := s.oneRun(ctx, space.DX, o, noDX)
	dw := s.oneRun(ctx, space.DW, o, noDW)
	s.proven = s.proven && dx.proven && dw.proven
	bound := dx.bound + dw.bound
	if o == search.SPM {
		bound = max(dx.bound, dw.bound)
	}
	if !dx.found || !dw.found {
		return bound
	}
	if !s.meet(&dx.plan, &dw.plan) {
		s.showPair(&dx.plan, &dw.plan)
		return bound
	}
	m, _ := s.holdsWholeDY(&dx.plan)
	return min(
		s.bestPair(ctx, append(noDX[:len(noDX):len(noDX)], m), noDW),
		s.bestPair(ctx, noDX, append(noDW[:len(noDW):len(noDW)], m)),
	)
}

// showPair costs two runs and shows them.
func (s *solver) showPair(dx, dw *space.OpSchedule) {
	pair := space.Schedule{Pass: space.Backward}
	pair.Ops[space.DX], pair.Ops[space.DW] = *dx, *dw
	var c evaluator.Cost
	s.stats.Evaluations++
	if s.model.Cost(&pair, &c) {
		s.show(&pair, &c)
	}
}

// oneRun finds the best schedule of one gradient that is not one of the given
// meetings.
func (s *solver) oneRun(ctx context.Context, op space.Op, o search.Objective, not []meeting) oneRun {
	e := s.runEngine(op, o, not)
	s.fill(e, op)
	r := oneRun{proven: e.run(ctx)}
	r.plan, r.cost, r.found = e.best.Ops[op], e.cost, e.found
	r.bound = min(e.dropped, e.cutoff)
	return r
}

// runEngine returns an engine for schedules of one gradient alone.
func (s *solver) runEngine(op space.Op, o search.Objective, not []meeting) *engine {
	e := s.engine()
	e.objective = o
	if tell := s.request.Progress; tell != nil { // one gradient's figures are not the pass's
		e.progress = func(ev search.Event) { tell(search.Event{Evaluations: ev.Evaluations, Best: s.cutoff()}) }
	}
	e.exact = func(x *space.Schedule, c *evaluator.Cost) bool { return s.model.Single(op, &x.Ops[op], c) }
	e.accept = func(x *space.Schedule) bool {
		if m, whole := s.holdsWholeDY(&x.Ops[op]); whole && slices.Contains(not, m) {
			return false
		}
		return s.acceptOp(op, &x.Ops[op])
	}
	return e
}

// fill queues all structures of one operation alone.
func (s *solver) fill(e *engine, op space.Op) {
	s.eachPartition(func(g *generator) {
		g.out = func(st *structure) { e.add(st, s.flows) }
		g.singles(op)
	})
}
