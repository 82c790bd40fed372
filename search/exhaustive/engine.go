package exhaustive

import (
	"context"
	"math"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

var inf = math.Inf(1)

// slack is how much less than the best a bound must be, relatively, for its
// box to be worth a look: bounds and costs are sums of floats in different
// orders.
const slack = 1e-12

// engine searches the structures of one kind of run.
type engine struct {
	model      *analytic.Model
	objective  search.Objective
	structures []structure
	queue      queue
	// cutoff is the figure to beat; a schedule found lowers it.
	cutoff float64
	// best is the best schedule found that is below the first cutoff.
	best  space.Schedule
	cost  evaluator.Cost
	found bool
	// accept, if not nil, says whether a schedule may be taken.
	accept func(*space.Schedule) bool
	// exact costs a schedule of the run.
	exact func(*space.Schedule, *evaluator.Cost) bool
	// seen, if not nil, is told of every schedule that fits.
	seen  func(*space.Schedule, *evaluator.Cost)
	stats *search.Stats
	limit int64 // of stats.Evaluations; 0: none
	box   analytic.Box
	fig   analytic.Figures
	mem   analytic.Scratch
	// keep, if not nil, says which boxes are worth a look, in place of cutoff.
	keep     func(*node) bool
	progress func(search.Event)
	maxQueue int // boxes that may wait
	steps    int64
	diving   bool
	stack    []node // of a dive
	// dropped is the least bound of boxes that were left unsearched.
	dropped float64
}

// add puts a structure's whole box into the queue.
func (e *engine) add(st *structure, flows [space.NumOps]uint8) {
	n := node{st: int32(len(e.structures)), v: st.root, raised: true, split: -1}
	for i, op := range st.ops {
		n.flows[i] = flows[op]
		if flows[op] == 0 {
			return // the array has none of the dataflows that are allowed
		}
	}
	e.structures = append(e.structures, *st)
	e.consider(&n)
}

// consider bounds a box and queues it if it may hold a better schedule.
func (e *engine) consider(n *node) {
	st := &e.structures[n.st]
	if !st.hasValues(n) || !st.clipBursts(n) {
		return
	}
	for {
		e.bound(n)
		if !e.fig.Fits {
			e.stats.Infeasible++
			return
		}
		if !e.worth(n) {
			e.stats.Cut++
			return
		}
		if n.fixed || !n.raised || !e.shrink(n) {
			break
		}
	}
	if e.diving {
		e.stack = append(e.stack, *n)
		return
	}
	e.queue.push(n)
}

// worth reports whether a box may hold a schedule that the search looks for.
func (e *engine) worth(n *node) bool {
	if e.keep != nil {
		return e.keep(n)
	}
	return n.bound < e.cutoff*(1-slack)
}

// hasValues reports whether every variable restricted to multiples has one in
// its range.
func (st *structure) hasValues(n *node) bool {
	for v := range st.nvars {
		m := st.multiple[v]
		if m > 1 && n.v[v].hi < st.extent[v] && n.v[v].hi/m*m < n.v[v].lo {
			return false
		}
	}
	return true
}

// clipBursts leaves out bursts that the innermost loop has not enough steps
// for: a burst of all steps counts as such only where it may be the only one.
// It reports whether any is left.
func (st *structure) clipBursts(n *node) bool {
	if st.plan.Shared < 3 {
		return true
	}
	r := &n.v[st.nvars]
	inner := st.of[space.DX][st.innermost()]
	most := space.CeilDiv(st.extent[inner], n.v[inner].lo)
	if st.root[st.nvars].lo > 1 {
		most-- // as long as the loop: two shared loops say the same
	}
	r.hi = min(r.hi, most)
	return r.lo <= r.hi
}

// bound computes the node's lower bound, which is never below its parent's.
func (e *engine) bound(n *node) {
	st := &e.structures[n.st]
	b := &e.box
	b.Ops, b.Plan, b.Key, b.Merged = st.ops, &st.plan, int(n.st)+1, st.merged
	for i, op := range st.ops {
		for d := range space.NumDims {
			r := n.v[st.of[op][d]]
			b.Lo[op][d], b.Hi[op][d] = r.lo, r.hi
		}
		b.Flows[op] = n.flows[i]
		b.Hold[op], b.Outer[op] = st.plan.Ops[op].Hold, st.plan.Ops[op].Hold
	}
	for i, c := range st.choices[:st.nchoices] {
		if n.chosen[i] != inner {
			b.Outer[c.op][c.lacks] = c.outer
		}
		if n.chosen[i] == outer {
			b.Hold[c.op][c.lacks] = c.outer
		}
	}
	b.BurstLo, b.BurstHi = 1, 1
	if st.plan.Shared == 3 {
		b.BurstLo, b.BurstHi = n.v[st.nvars].lo, n.v[st.nvars].hi
	}
	b.Enough = e.enough()
	e.stats.Bounds++
	e.model.Bound(b, &e.fig, &e.mem)
	n.fixed = e.fig.Fixed
	n.byFlow = e.fig.ComputeBound || e.enough() == 0 || e.enough() == inf
	n.bound = max(n.bound, figure(e.objective, &e.fig))
	n.energy = max(n.energy, e.fig.EnergyPJ)
	n.bytes, n.spm = max(n.bytes, e.fig.DRAMBytes), max(n.spm, e.fig.SPMBytes)
}

// enough is the bound on cycles beyond which no better one is needed.
func (e *engine) enough() float64 {
	switch {
	case e.keep != nil, e.objective == search.EDP:
		return inf
	case e.objective == search.Latency:
		return e.cutoff
	case e.objective == search.Energy && e.model.Problem().HW.Energy.StaticPJPerCycle > 0:
		return inf
	}
	return 0
}

func figure(o search.Objective, f *analytic.Figures) float64 {
	switch o {
	case search.Traffic:
		return float64(f.DRAMBytes)
	case search.Energy:
		return f.EnergyPJ
	case search.EDP:
		return f.EDP()
	case search.SPM:
		return float64(f.SPMBytes)
	}
	return f.Cycles
}

// maxQueue is how many boxes wait at most, some 100 MiB: beyond, the least box
// is searched to its end before the next.
const maxQueue = 600_000

// run searches until the optimum is proven, and reports whether it is.
func (e *engine) run(ctx context.Context) bool {
	e.dropped = inf
	var n node
	for len(e.queue.nodes) > 0 {
		if e.keep == nil && !e.worth(&e.queue.nodes[0]) {
			break
		}
		if e.stopped(ctx) {
			e.dropped = e.queue.least()
			return false
		}
		e.queue.pop(&n)
		if e.keep != nil && !e.keep(&n) {
			continue
		}
		if len(e.queue.nodes) < e.maxQueue {
			e.expand(&n)
		} else if !e.dive(ctx, &n) {
			e.dropped = n.bound // the least of all
			return false
		}
	}
	e.stats.Cut += int64(len(e.queue.nodes))
	return true
}

// stopped reports whether the search has to stop, and tells of its progress
// now and then.
func (e *engine) stopped(ctx context.Context) bool {
	e.steps++
	if e.steps&63 == 0 && ctx.Err() != nil || e.limit > 0 && e.stats.Evaluations >= e.limit {
		return true
	}
	if e.steps&1023 == 0 && e.progress != nil {
		e.progress(search.Event{Evaluations: e.stats.Evaluations, Best: e.cutoff, Bound: e.queue.least()})
	}
	return false
}

// dive searches a box to its end, the box split last first, and reports
// whether it got there.
func (e *engine) dive(ctx context.Context, n *node) bool {
	e.diving = true
	defer func() { e.diving, e.stack = false, e.stack[:0] }()
	e.expand(n)
	for len(e.stack) > 0 {
		if e.stopped(ctx) {
			return false
		}
		next := e.stack[len(e.stack)-1]
		e.stack = e.stack[:len(e.stack)-1]
		if e.worth(&next) {
			e.expand(&next)
		}
	}
	return true
}

// expand costs the schedule of a box's least extents, where step counts are
// known, and splits the box.
func (e *engine) expand(n *node) {
	st := &e.structures[n.st]
	for i := range st.ops {
		if f := n.flows[i]; f&(f-1) != 0 && (n.byFlow || st.narrow(n)) {
			for flow := range hardware.NumDataflows {
				if f>>flow&1 == 1 {
					child := *n
					child.flows[i] = 1 << flow
					child.depth++
					child.raised = false
					e.consider(&child)
				}
			}
			return
		}
	}
	if e.choose(st, n) {
		return
	}
	if n.fixed && !n.tried {
		e.try(n)
		n.tried = true
		if !e.worth(n) {
			return
		}
	}
	e.split(st, n)
}

// try costs the schedule of a box's least extents.
func (e *engine) try(n *node) {
	st := &e.structures[n.st]
	s := st.plan
	for i, op := range st.ops {
		for d := range space.NumDims {
			v := st.of[op][d]
			t := n.v[v].lo
			if m := st.multiple[v]; m > 1 && t%m != 0 && t != st.extent[v] {
				t = min((t/m+1)*m, n.v[v].hi)
			}
			s.Ops[op].Tile[d] = t
		}
		s.Ops[op].Dataflow = flowOf(n.flows[i])
	}
	for i, c := range st.choices[:st.nchoices] {
		if n.chosen[i] == outer {
			s.Ops[c.op].Hold[c.lacks] = c.outer
		}
	}
	if st.plan.Shared == 3 {
		s.Burst = n.v[st.nvars].lo
	}
	e.stats.Evaluations++
	if e.accept != nil && !e.accept(&s) {
		return
	}
	var c evaluator.Cost
	if !e.exact(&s, &c) {
		e.stats.Infeasible++
		return
	}
	e.take(&s, &c)
}

// take makes a schedule the best if it is.
func (e *engine) take(s *space.Schedule, c *evaluator.Cost) {
	if e.seen != nil {
		e.seen(s, c)
	}
	if v := e.objective.Value(c); v < e.cutoff || e.found && v == e.cutoff && e.objective.Compare(c, &e.cost) < 0 {
		e.cutoff, e.best, e.cost, e.found = v, *s, *c, true
	}
}

func flowOf(mask uint8) hardware.Dataflow {
	for f := range hardware.NumDataflows {
		if mask>>f&1 == 1 {
			return f
		}
	}
	return 0
}
