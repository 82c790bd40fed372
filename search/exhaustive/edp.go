package exhaustive

import (
	"context"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

// point is a schedule of one gradient alone with the two figures that the
// energy-delay product of two runs is made of.
type point struct {
	plan           space.OpSchedule
	cycles, energy float64
}

// twoRunsEDP is twoRuns for the energy-delay product, (E₁+E₂)·(C₁+C₂), which
// does not add: the best pair is made of points of the fronts of cycles and
// energy of each gradient, and a box matters only if, with the other gradient
// at its best in both, it could beat the best pair known.
func (s *solver) twoRunsEDP(ctx context.Context) float64 {
	return s.bestPairEDP(ctx, nil, nil)
}

func (s *solver) bestPairEDP(ctx context.Context, noDX, noDW []meeting) float64 {
	var least [2]struct{ cycles, energy float64 }
	var fastest, thriftiest [2]oneRun
	not := [2][]meeting{noDX, noDW}
	for i, op := range bothGradients {
		fastest[i] = s.oneRun(ctx, op, search.Latency, not[i])
		thriftiest[i] = s.oneRun(ctx, op, search.Energy, not[i])
		if fastest[i].proven && !fastest[i].found {
			return inf
		}
		s.proven = s.proven && fastest[i].proven && thriftiest[i].proven
		least[i].cycles, least[i].energy = fastest[i].bound, thriftiest[i].bound
	}
	bound := (least[0].cycles + least[1].cycles) * (least[0].energy + least[1].energy)
	if !fastest[0].found || !fastest[1].found || !thriftiest[0].found || !thriftiest[1].found {
		return bound
	}
	// A pair to beat: the fastest or the thriftiest of each.
	beat := s.cutoff()
	for _, x := range []*oneRun{&fastest[0], &thriftiest[0]} {
		for _, w := range []*oneRun{&fastest[1], &thriftiest[1]} {
			if !s.meet(&x.plan, &w.plan) {
				beat = min(beat, (x.cost.Cycles+w.cost.Cycles)*(x.cost.EnergyPJ+w.cost.EnergyPJ))
			}
		}
	}
	var fronts [2][]point
	for i, op := range bothGradients {
		other := least[1-i]
		var proven bool
		fronts[i], proven = s.frontOf(ctx, op, not[i], func(cycles, energy float64) bool {
			return (cycles+other.cycles)*(energy+other.energy) <= beat*(1+slack)
		})
		s.proven = s.proven && proven
	}
	return s.joinEDP(ctx, fronts, not, bound)
}

// joinEDP shows the best pair of two fronts. Where that pair would be one run,
// one of the two must give way, and the search is repeated without it.
func (s *solver) joinEDP(ctx context.Context, fronts [2][]point, not [2][]meeting, bound float64) float64 {
	var bestX, bestW *point
	best := inf
	for i := range fronts[0] {
		for j := range fronts[1] {
			x, w := &fronts[0][i], &fronts[1][j]
			if v := (x.cycles + w.cycles) * (x.energy + w.energy); v < best {
				best, bestX, bestW = v, x, w
			}
		}
	}
	if bestX == nil || best >= s.cutoff()*(1-slack) {
		return s.settled(bound, best)
	}
	if !s.meet(&bestX.plan, &bestW.plan) {
		s.showPair(&bestX.plan, &bestW.plan)
		return s.settled(bound, best)
	}
	m, _ := s.holdsWholeDY(&bestX.plan)
	return min(
		s.bestPairEDP(ctx, append(not[0][:len(not[0]):len(not[0])], m), not[1]),
		s.bestPairEDP(ctx, not[0], append(not[1][:len(not[1]):len(not[1])], m)),
	)
}

// settled returns what is known of the two runs' best: their best itself if
// it is proven, else the given bound.
func (s *solver) settled(bound, best float64) float64 {
	if s.proven {
		return best
	}
	return bound
}

// meet reports whether two runs would be one by holding dY alike.
func (s *solver) meet(dx, dw *space.OpSchedule) bool {
	mx, wholeX := s.holdsWholeDY(dx)
	mw, wholeW := s.holdsWholeDY(dw)
	return wholeX && wholeW && mx == mw
}

// frontOf finds the front of cycles and energy of one gradient alone, among
// the figures that matter.
func (s *solver) frontOf(ctx context.Context, op space.Op, not []meeting, matters func(cycles, energy float64) bool) ([]point, bool) {
	e := s.runEngine(op, search.Latency, not)
	var front []point
	reached := func(cycles, energy float64) bool {
		for i := range front {
			if front[i].cycles <= cycles*(1+slack) && front[i].energy <= energy*(1+slack) {
				return true
			}
		}
		return false
	}
	e.keep = func(n *node) bool { return matters(n.bound, n.energy) && !reached(n.bound, n.energy) }
	e.seen = func(x *space.Schedule, c *evaluator.Cost) {
		if !matters(c.Cycles, c.EnergyPJ) || reached(c.Cycles, c.EnergyPJ) {
			return
		}
		kept := front[:0]
		for _, p := range front {
			if p.cycles < c.Cycles || p.energy < c.EnergyPJ {
				kept = append(kept, p)
			}
		}
		front = append(kept, point{x.Ops[op], c.Cycles, c.EnergyPJ})
	}
	s.fill(e, op)
	return front, e.run(ctx)
}
