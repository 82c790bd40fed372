package exhaustive_test

import (
	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

// enumerateRuns is enumerate for backward passes on one core: every pair of
// gradients that makes one run, and all ways to run each gradient alone. Two
// runs need no pairs: their costs add, and only two that hold the whole of dY
// in equal tiles would be one.
func enumerateRuns(p *space.Problem, _ *space.Constraints) optimum {
	least := nothing()
	model := analytic.New(p)
	pairs := func(s space.Schedule) bool {
		var cost evaluator.Cost
		if model.Cost(&s, &cost) {
			least.see(&cost)
		}
		return true
	}
	type loop struct {
		d    space.Dim
		tile int64
	}
	outer := func(o *space.OpSchedule) loop { return loop{o.Order[0], o.Tile[o.Order[0]]} }
	var begins = map[loop][]space.OpSchedule{}
	var wholes = map[whole][]space.OpSchedule{}
	for o := range space.AllOps(p, space.DW) {
		begins[outer(&o)] = append(begins[outer(&o)], o)
		if w := wholeDY(&o); w != (whole{}) {
			wholes[w] = append(wholes[w], o)
		}
	}
	s := space.Schedule{Pass: space.Backward}
	for s.Ops[space.DX] = range space.AllOps(p, space.DX) {
		dx := &s.Ops[space.DX]
		for _, s.Ops[space.DW] = range begins[outer(dx)] {
			alternations(p, s, 1, pairs)
		}
		if w := wholeDY(dx); w != (whole{}) {
			for _, s.Ops[space.DW] = range wholes[w] {
				pairs(s)
			}
		}
	}
	twoRuns(p, model, &least)
	return least
}

// whole is the tile of a dY that stays in the SPM as a whole; zero where it
// does not.
type whole struct{ m, n int64 }

func wholeDY(o *space.OpSchedule) whole {
	if o.Hold[space.K] != 0 {
		return whole{}
	}
	return whole{o.Tile[space.M], o.Tile[space.N]}
}

// twoRuns shows least the best pairs of gradients that run one after the
// other.
func twoRuns(p *space.Problem, model *analytic.Model, least *optimum) {
	dx, dw := alone(p, model, space.DX), alone(p, model, space.DW)
	for wx, runsX := range dx {
		for ww, runsW := range dw {
			if wx == ww && wx != (whole{}) {
				continue
			}
			for _, a := range runsX {
				for _, b := range runsW {
					least.see(&evaluator.Cost{
						Cycles:    a.Cycles + b.Cycles,
						DRAMBytes: a.DRAMBytes + b.DRAMBytes,
						EnergyPJ:  a.EnergyPJ + b.EnergyPJ,
						SPMBytes:  max(a.SPMBytes, b.SPMBytes),
					})
				}
			}
		}
	}
}

// alone costs all ways to run one gradient that fit the SPM, and keeps of each
// kind of dY those that no other equals or beats in every figure.
func alone(p *space.Problem, model *analytic.Model, op space.Op) map[whole][]evaluator.Cost {
	fronts := map[whole][]evaluator.Cost{}
	var cost evaluator.Cost
	for o := range space.AllOps(p, op) {
		if model.Single(op, &o, &cost) {
			w := wholeDY(&o)
			fronts[w] = keep(fronts[w], &cost)
		}
	}
	return fronts
}

func keep(front []evaluator.Cost, c *evaluator.Cost) []evaluator.Cost {
	for i := range front {
		if nowhereWorse(&front[i], c) {
			return front
		}
	}
	kept := front[:0]
	for _, x := range front {
		if !nowhereWorse(c, &x) {
			kept = append(kept, x)
		}
	}
	return append(kept, *c)
}

func nowhereWorse(a, b *evaluator.Cost) bool {
	for _, o := range []search.Objective{search.Latency, search.Traffic, search.Energy, search.SPM} {
		if o.Value(a) > o.Value(b) {
			return false
		}
	}
	return true
}
