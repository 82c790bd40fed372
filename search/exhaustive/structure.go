package exhaustive

import (
	"github.com/npu-tune/npu-tune/space"
)

const maxVars = 6 // five tile extents (one shared loop, two of each gradient) and the burst

// interval is a range of values of a variable, both ends included.
type interval struct{ lo, hi int64 }

// choice is between two hold levels of an operand: that of the plan, which
// takes less SPM, and an outer one, which moves less.
type choice struct {
	op    space.Op
	lacks space.Dim
	outer uint8
}

// Of a choice a node knows nothing, or that it is the plan's level, or the
// outer one.
const (
	open = iota
	inner
	outer
)

// choose notes the choices of an operation.
func (st *structure) choose(op space.Op, o oneOp) {
	for d := range space.NumDims {
		if o.outer[d] != o.hold[d] {
			st.choices[st.nchoices] = choice{op, d, o.outer[d]}
			st.nchoices++
		}
	}
}

// structure is everything of a schedule but tile extents, dataflows and burst.
type structure struct {
	ops    []space.Op
	plan   space.Schedule
	merged bool
	nvars  int // tile variables; the burst follows them where three loops are shared
	// choices are hold levels that are left open: the plan's, or the outer.
	choices  [4]choice
	nchoices int
	// of[op][d] is the variable that is the tile extent of d in op.
	of     [space.NumOps][space.NumDims]int8
	users  [maxVars]uint8 // the operations that have the variable, a mask of positions in ops
	extent [maxVars]int64 // the core's share, of tile variables
	root   [maxVars]interval
	// multiple[v] restricts variable v to multiples or the whole share.
	multiple [maxVars]int64
}

// innermost returns the dimension of the innermost loop of the first operation.
func (st *structure) innermost() space.Dim { return st.plan.Ops[st.ops[0]].Order[2] }

// single emits the structure of one operation alone, unless a range is empty.
func (g *generator) single(op space.Op, o oneOp) {
	st := structure{ops: opList(op), nvars: 3}
	st.plan.Pass = g.pass
	st.plan.Ops[op] = g.plan(o)
	st.choose(op, o)
	for d := range space.NumDims {
		st.of[op][d] = int8(d)
		if !g.variable(&st, int(d), op, d, o.tile[d]) {
			return
		}
	}
	g.out(&st)
}

// variable sets the extent and range of a tile variable, met with the range of
// another operation that has the same tile; false if nothing is left.
func (g *generator) variable(st *structure, v int, op space.Op, d space.Dim, r interval) bool {
	extent := g.share[d]
	c := &g.constraints.Ops[op]
	r.hi = min(r.hi, extent)
	if limit := c.TileMax[d]; limit > 0 {
		r.hi = min(r.hi, limit)
	}
	for i, x := range st.ops {
		if x == op {
			st.users[v] |= 1 << i
		}
	}
	if st.extent[v] != 0 {
		r = interval{max(r.lo, st.root[v].lo), min(r.hi, st.root[v].hi)}
	}
	st.extent[v], st.root[v] = extent, r
	if m := c.TileMultiple[d]; m > 1 {
		st.multiple[v] = space.LCM(max(st.multiple[v], 1), m)
	}
	return r.lo <= r.hi
}

func opList(op space.Op) []space.Op {
	return [...][]space.Op{space.Fwd: {space.Fwd}, space.DX: {space.DX}, space.DW: {space.DW}}[op]
}
