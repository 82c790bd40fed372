package exhaustive

import (
	"context"
	"slices"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

// pareto completes the front of cycles × DRAM bytes × SPM bytes, and reports
// whether it is that of the whole space: a box is dropped only where some
// schedule of the front is nowhere worse than the box's bounds.
func (s *solver) pareto(ctx context.Context) bool {
	c := &s.request.Constraints
	proven := true
	e := s.engine()
	e.objective = search.Latency
	e.exact = s.model.Cost
	e.accept = s.accept()
	e.keep = func(n *node) bool { return !s.front.Reaches(n.bound, n.bytes, n.spm) }
	e.seen = func(x *space.Schedule, c *evaluator.Cost) { s.front.Add(x, c) }
	if s.problem.Pass != space.Backward {
		s.fill(e, s.problem.Pass.Ops()[0])
		return e.run(ctx)
	}
	if c.Shared == 0 || c.Shared&1 == 1 {
		proven = s.paretoOfTwoRuns(ctx)
	}
	s.eachPartition(func(g *generator) {
		g.out = func(st *structure) { e.add(st, s.flows) }
		g.pairs()
	})
	return e.run(ctx) && proven
}

// paretoOfTwoRuns adds the front of the schedules in which dx and dw have
// nothing in common. Cycles and bytes of two runs add and the larger SPM
// counts, so the front is made of pairs of points of each gradient's front. A
// pair that would be one run does not exist: then one of the two must give way
// to the front of those that hold dY otherwise.
func (s *solver) paretoOfTwoRuns(ctx context.Context) bool {
	fronts := [2][]search.Candidate{}
	proven := true
	for i, op := range bothGradients {
		f, ok := s.runFront(ctx, op, nil)
		fronts[i], proven = f, proven && ok
	}
	var met []meeting
	for i := range fronts[0] {
		for j := range fronts[1] {
			dx, dw := &fronts[0][i].Schedule.Ops[space.DX], &fronts[1][j].Schedule.Ops[space.DW]
			if !s.meet(dx, dw) {
				s.addPair(&fronts[0][i], &fronts[1][j])
				continue
			}
			if m, _ := s.holdsWholeDY(dx); !slices.Contains(met, m) {
				met = append(met, m)
			}
		}
	}
	for _, m := range met {
		for i, op := range bothGradients {
			others, ok := s.runFront(ctx, op, []meeting{m})
			proven = proven && ok
			stay := bothGradients[1-i]
			for j := range fronts[1-i] {
				x := &fronts[1-i][j]
				if at, whole := s.holdsWholeDY(&x.Schedule.Ops[stay]); !whole || at != m {
					continue
				}
				for k := range others {
					if i == 0 {
						s.addPair(&others[k], x)
					} else {
						s.addPair(x, &others[k])
					}
				}
			}
		}
	}
	return proven
}

// addPair shows the front two runs.
func (s *solver) addPair(dx, dw *search.Candidate) {
	cycles, bytes := dx.Cost.Cycles+dw.Cost.Cycles, dx.Cost.DRAMBytes+dw.Cost.DRAMBytes
	if s.front.Reaches(cycles, bytes, max(dx.Cost.SPMBytes, dw.Cost.SPMBytes)) {
		return
	}
	pair := space.Schedule{Pass: space.Backward}
	pair.Ops[space.DX], pair.Ops[space.DW] = dx.Schedule.Ops[space.DX], dw.Schedule.Ops[space.DW]
	var c evaluator.Cost
	s.stats.Evaluations++
	if s.model.Cost(&pair, &c) {
		s.front.Add(&pair, &c)
	}
}

// runFront finds the front of one gradient alone.
func (s *solver) runFront(ctx context.Context, op space.Op, not []meeting) ([]search.Candidate, bool) {
	var front search.Front
	e := s.runEngine(op, search.Latency, not)
	e.keep = func(n *node) bool { return !front.Reaches(n.bound, n.bytes, n.spm) }
	e.seen = func(x *space.Schedule, c *evaluator.Cost) { front.Add(x, c) }
	s.fill(e, op)
	proven := e.run(ctx)
	return front.Sorted(), proven
}
