package exhaustive

import (
	"math"

	"github.com/npu-tune/npu-tune/space"
)

// oneOp is one operation's part of a structure: its order, hold levels and the
// ranges of its tile extents.
type oneOp struct {
	order space.Order
	hold  [space.NumDims]uint8
	outer [space.NumDims]uint8 // the other level of a choice, else hold
	tile  [space.NumDims]interval
}

// generator enumerates structures of one problem.
type generator struct {
	problem     *space.Problem
	pass        space.Pass
	constraints *space.Constraints
	// free says that orders, holds and shared loops are unconstrained, so that
	// equivalent structures can be left out.
	free bool
	// freeHolds says that hold levels at least are unconstrained.
	freeHolds bool
	alone     bool // one operation by itself is being enumerated
	cores     [space.NumDims]uint16
	share     [space.NumDims]int64
	out       func(*structure)
}

// partition sets how the dimensions are split over cores.
func (g *generator) partition(parts [space.NumDims]uint16) {
	g.cores = parts
	for d := range space.NumDims {
		g.share[d] = space.CeilDiv(g.problem.Dim(d), int64(parts[d]))
	}
}

func (g *generator) plan(o oneOp) space.OpSchedule {
	return space.OpSchedule{Order: o.order, Hold: o.hold, Cores: g.cores}
}

// singles emits all structures of one operation alone.
func (g *generator) singles(op space.Op) {
	g.alone = true
	defer func() { g.alone = false }()
	g.eachOp(op, 0, space.Order{}, func(o oneOp) { g.single(op, o) })
}

// eachOp calls f for every order that begins with the first fixed loops of
// prefix, every set of hold levels that matters, and every set of tile ranges
// that matters. The loops after the prefix are in canonical order where they
// have one step: such loops stand innermost.
func (g *generator) eachOp(op space.Op, fixed int, prefix space.Order, f func(oneOp)) {
	for _, order := range g.orders(op, fixed, prefix) {
		for _, tile := range g.ranges(fixed, order) {
			g.eachHold(op, order, func(hold, outer [space.NumDims]uint8) {
				f(oneOp{order: order, hold: hold, outer: outer, tile: tile})
			})
		}
	}
}

func (g *generator) orders(op space.Op, fixed int, prefix space.Order) []space.Order {
	allowed := g.constraints.Ops[op].Orders
	if len(allowed) == 0 {
		allowed = space.Orders[:]
	}
	var list []space.Order
next:
	for _, o := range allowed {
		for i := range fixed {
			if o[i] != prefix[i] {
				continue next
			}
		}
		list = append(list, o)
	}
	return list
}

// ranges returns the boxes of tile extents to consider for an order: all
// extents, or, where that loses nothing, those in which the loops of one step
// that are not fixed stand innermost.
func (g *generator) ranges(fixed int, order space.Order) [][space.NumDims]interval {
	var all [space.NumDims]interval
	for d := range space.NumDims {
		all[d] = interval{1, math.MaxInt64}
	}
	if !g.free || fixed >= 2 {
		return [][space.NumDims]interval{all}
	}
	several := func(r *[space.NumDims]interval, pos int) { r[order[pos]].hi = g.share[order[pos]] - 1 }
	one := func(r *[space.NumDims]interval, pos int) {
		r[order[pos]] = interval{g.share[order[pos]], g.share[order[pos]]}
	}
	var list [][space.NumDims]interval
	main := all
	several(&main, 1)
	if fixed == 0 {
		several(&main, 0)
	}
	list = append(list, main)
	if order[1] < order[2] {
		rest := all
		one(&rest, 1)
		one(&rest, 2)
		list = append(list, rest)
	}
	return list
}

// eachHold calls f for the hold levels that matter: without constraints the
// deepest of each class (reloads or not), left as a choice of two; else each of
// those that are allowed. dY's levels in a run of two gradients are never a
// choice, since they decide whether it is one region.
func (g *generator) eachHold(op space.Op, order space.Order, f func(hold, outer [space.NumDims]uint8)) {
	var levels [space.NumDims][]uint8
	for lacks := range space.NumDims {
		levels[lacks] = g.levels(op, order, lacks)
		if len(levels[lacks]) == 0 {
			return
		}
	}
	choose := func(d space.Dim) bool {
		return g.constraints.Ops[op].Hold[d] == 0 && (g.alone || d != space.K || g.pass != space.Backward)
	}
	var hold, outer [space.NumDims]uint8
	var each func(d space.Dim)
	each = func(d space.Dim) {
		if d == space.NumDims {
			f(hold, outer)
			return
		}
		l := levels[d]
		if choose(d) {
			hold[d], outer[d] = l[0], l[len(l)-1]
			each(d + 1)
			return
		}
		for _, h := range l {
			hold[d], outer[d] = h, h
			each(d + 1)
		}
	}
	each(0)
}

// deepest lists per position of the loop that a tensor lacks the levels that
// matter: the deepest level, and the deepest at which the tensor does not
// reload.
var deepest = [space.NumDims][]uint8{{3, 0}, {3, 1}, {2}}

func (g *generator) levels(op space.Op, order space.Order, lacks space.Dim) []uint8 {
	at := order.Position(lacks)
	mask := g.constraints.Ops[op].Hold[lacks]
	switch {
	case mask == 0 && g.constraints.SeparateDY && !g.alone && g.pass == space.Backward && lacks == space.K:
		mask = 1<<4 - 1 // levels that cost the same differ in whether dY is one region
	case mask == 0:
		return deepest[at-1]
	}
	var list []uint8
	for h := uint8(3); ; h-- {
		if mask>>h&1 == 1 && int(h) != at {
			list = append(list, h)
		}
		if h == 0 {
			return list
		}
	}
}

// allowsShared reports whether the constraints allow s shared loops.
func (g *generator) allowsShared(s int) bool {
	return g.constraints.Shared == 0 || g.constraints.Shared>>s&1 == 1
}
