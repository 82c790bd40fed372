package exhaustive

import (
	"math"

	"github.com/npu-tune/npu-tune/space"
)

var bothGradients = []space.Op{space.DX, space.DW}

// pairs emits all structures in which the two gradients are one run: those
// with shared loops, and those without that have dY in common.
func (g *generator) pairs() {
	if g.allowsShared(0) {
		g.wholeDY()
	}
	for s := 1; s <= 3; s++ {
		if !g.allowsShared(s) {
			continue
		}
		g.prefixes(s, func(prefix space.Order) { g.sharing(s, prefix) })
	}
}

// prefixes calls f once for each choice of the s outermost loops.
func (g *generator) prefixes(s int, f func(space.Order)) {
	seen := map[[2]space.Dim]bool{}
	for _, o := range space.Orders {
		key := [2]space.Dim{o[0], space.NumDims}
		if s > 1 {
			key[1] = o[1]
		}
		if !seen[key] {
			seen[key] = true
			f(o)
		}
	}
}

// wholeDY emits the runs without shared loops in which all of dY stays in the
// SPM for both gradients.
func (g *generator) wholeDY() {
	g.merged(0, space.Order{}, 0)
}

// merged emits the runs with s shared loops that hold one dY at level h.
func (g *generator) merged(s int, prefix space.Order, h uint8) {
	if g.constraints.SeparateDY || !g.holdsDY(space.DX, h) || !g.holdsDY(space.DW, h) {
		return
	}
	g.eachOp(space.DX, s, prefix, func(dx oneOp) {
		if !g.first(space.DX, dx) {
			return
		}
		dx.hold[space.K], dx.outer[space.K] = h, h
		g.eachOp(space.DW, s, prefix, func(dw oneOp) {
			if g.first(space.DW, dw) {
				dw.hold[space.K], dw.outer[space.K] = h, h
				g.pair(s, dx, dw, true)
			}
		})
	})
}

// apart emits the runs with s shared loops in which each gradient has its own
// dY. Pairs of levels that would merge are left to merged.
func (g *generator) apart(s int, prefix space.Order) {
	g.eachOp(space.DX, s, prefix, func(dx oneOp) {
		g.eachOp(space.DW, s, prefix, func(dw oneOp) {
			h := int(dx.hold[space.K])
			merges := dx.hold[space.K] == dw.hold[space.K] && h <= s
			for pos := h; pos < 3 && merges; pos++ {
				// a tile inside the level that may differ keeps dY apart
				merges = pos < s || dx.order[pos] == space.K
			}
			if !merges {
				g.pair(s, dx, dw, false)
			}
		})
	})
}

// sharing emits the runs whose s outermost loops are shared.
func (g *generator) sharing(s int, prefix space.Order) {
	for _, h := range g.mergeLevels(s, prefix) {
		g.merged(s, prefix, h)
	}
	if s == 3 && g.freeHolds {
		// One dY is then always best: merged at the outer of two levels it
		// moves and takes no more than apart.
		return
	}
	g.apart(s, prefix)
}

// mergeLevels lists the levels at which one dY may stay for both gradients:
// without constraints the deepest of each class, reloading or not.
func (g *generator) mergeLevels(s int, prefix space.Order) []uint8 {
	list := []uint8{0}
	reloads := false
	for i, d := range prefix[:s] {
		switch {
		case d == space.K:
			reloads = true
			continue
		case g.freeHolds && (!reloads || len(list) > 1 && list[len(list)-1] > uint8(prefix.Position(space.K))):
			list[len(list)-1] = uint8(i + 1)
		default:
			list = append(list, uint8(i+1))
		}
	}
	return list
}

// holdsDY reports whether the constraints let op hold dY at level h.
func (g *generator) holdsDY(op space.Op, h uint8) bool {
	mask := g.constraints.Ops[op].Hold[space.K]
	return mask == 0 || mask>>h&1 == 1
}

// first reports whether o has the first of dY's levels for its order, to visit
// each combination of the other levels once.
func (g *generator) first(op space.Op, o oneOp) bool {
	l := g.levels(op, o.order, space.K)
	return len(l) > 0 && o.hold[space.K] == l[0]
}

// pair emits the structures of two gradients with s shared loops.
func (g *generator) pair(s int, dx, dw oneOp, merged bool) {
	st := structure{ops: bothGradients, merged: merged}
	st.plan.Pass = space.Backward
	st.plan.Shared = uint8(s)
	st.plan.Ops[space.DX], st.plan.Ops[space.DW] = g.plan(dx), g.plan(dw)
	st.choose(space.DX, dx)
	st.choose(space.DW, dw)
	level := int(dx.hold[space.K])
	for pos, d := range dx.order {
		same := pos < s
		if merged && d != space.K && dx.order.Position(d) > level {
			same = true // inside dY's level the tiles of m and n agree
		}
		v := st.nvars
		st.nvars++
		st.of[space.DX][d] = int8(v)
		if !g.variable(&st, v, space.DX, d, dx.tile[d]) {
			return
		}
		if !same {
			v = st.nvars
			st.nvars++
		}
		st.of[space.DW][d] = int8(v)
		if !g.variable(&st, v, space.DW, d, dw.tile[d]) {
			return
		}
	}
	if s < 3 {
		if s == 2 && g.free { // fewer steps: the same as one shared loop
			for _, d := range dx.order[:2] {
				if !several(&st, d) {
					return
				}
			}
		}
		g.out(&st)
		return
	}
	g.withBursts(&st)
}

// several leaves out a shared loop's extents that make it one step.
func several(st *structure, d space.Dim) bool {
	v := st.of[space.DX][d]
	st.root[v].hi = min(st.root[v].hi, st.extent[v]-1)
	return st.root[v].lo <= st.root[v].hi
}

// withBursts emits a structure with three shared loops: alternating at every
// tile, and in longer bursts.
func (g *generator) withBursts(st *structure) {
	inner := st.of[space.DX][st.innermost()]
	most := g.constraints.MaxBurst
	if most == 0 {
		most = math.MaxInt64
	}
	if !g.free {
		st.root[st.nvars] = interval{1, min(most, st.extent[inner])}
		g.out(st)
		return
	}
	// Without constraints, loops of one step stand outermost, and what equals
	// two shared loops is left to them: bursts of one tile with a loop of one
	// step, bursts as long as the innermost loop.
	order := st.plan.Ops[space.DX].Order
	tile := *st
	tile.root[st.nvars] = interval{1, 1}
	if several(&tile, order[0]) && several(&tile, order[1]) && several(&tile, order[2]) {
		g.out(&tile)
	}
	if most < 2 || st.extent[inner] < 3 {
		return
	}
	long := *st
	long.root[st.nvars] = interval{2, min(most, st.extent[inner]-1)}
	long.root[inner].hi = min(long.root[inner].hi, (st.extent[inner]-1)/2)
	if long.root[inner].lo > long.root[inner].hi {
		return
	}
	main := long
	if several(&main, order[1]) {
		g.out(&main)
	}
	if order[0] < order[1] {
		for _, d := range order[:2] {
			v := long.of[space.DX][d]
			long.root[v].lo = max(long.root[v].lo, long.extent[v])
			if long.root[v].lo > long.root[v].hi {
				return
			}
		}
		g.out(&long)
	}
}
