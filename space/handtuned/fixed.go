package handtuned

import (
	"math"
	"slices"

	"github.com/npu-tune/npu-tune/space"
)

// buildConventional runs the operations one after the other, each with the
// largest near-cubic tile that fits.
func buildConventional(p *space.Problem) space.Schedule {
	s := sequential(p, reductionInnermost)
	for _, op := range p.Pass.Ops() {
		growCube(p, &s, op)
	}
	return s
}

// sequential returns a schedule of one-element tiles, one tile of each tensor,
// its gradients one after the other, the result split over all cores.
func sequential(p *space.Problem, order func(space.Op) space.Order) space.Schedule {
	s := space.Schedule{Pass: p.Pass}
	for _, op := range p.Pass.Ops() {
		s.Ops[op] = oneTile(op, order(op), dataflow(p))
		splitResult(p, &s.Ops[op], op)
	}
	return s
}

// splitResult gives each core a strip of the result, along its longer side, so
// that no partial sums cross cores.
func splitResult(p *space.Problem, o *space.OpSchedule, op space.Op) {
	d := op.Rows()
	if p.Dim(op.Columns()) > p.Dim(d) {
		d = op.Columns()
	}
	if parts := min(p.HW.Cores, p.Dim(d), math.MaxUint16); parts > 1 {
		o.Cores[d] = uint16(parts)
	}
}

// growCube sets the operation's tile to the largest cube that fits, its sides
// rounded up to whole arrays and clipped to the share. Where not even one array
// fits, sides are not rounded.
func growCube(p *space.Problem, s *space.Schedule, op space.Op) {
	c := cube{p, s, op, [space.NumDims]int64{1, 1, 1}}
	// With stationary outputs the result's rows and columns lie along the
	// array's; the reduction streams.
	c.multiple[op.Rows()], c.multiple[op.Columns()], c.multiple[op.Reduction()] = p.HW.Rows, p.HW.Cols, p.HW.Rows
	if c.grow() {
		return
	}
	c.multiple = [space.NumDims]int64{1, 1, 1}
	c.grow()
}

// cube is a tile with equal sides, but for rounding and clipping.
type cube struct {
	p        *space.Problem
	s        *space.Schedule
	op       space.Op
	multiple [space.NumDims]int64
}

// fits sets the tile of an edge and reports whether it fits.
func (c *cube) fits(edge int64) bool {
	o := &c.s.Ops[c.op]
	for d := range space.NumDims {
		o.Tile[d] = min(c.p.Share(o, d), space.CeilDiv(edge, c.multiple[d])*c.multiple[d])
	}
	return over(c.p, c.s, c.op) == 0
}

// grow sets the largest edge whose tile fits, or edge 1 and reports false. The
// bytes rise with the edge except where a dimension becomes one tile, which
// may need one slot less; between those edges it bisects.
func (c *cube) grow() bool {
	o := &c.s.Ops[c.op]
	starts := []int64{1}
	last := int64(1)
	for d := range space.NumDims {
		whole := (space.CeilDiv(c.p.Share(o, d), c.multiple[d])-1)*c.multiple[d] + 1
		starts = append(starts, whole)
		last = max(last, whole)
	}
	slices.Sort(starts)
	for _, start := range slices.Backward(starts) {
		if !c.fits(start) {
			last = start - 1
			continue
		}
		low, high := start, last+1 // low fits, high does not or is no edge of this stretch
		for high-low > 1 {
			if mid := low + (high-low)/2; c.fits(mid) {
				low = mid
			} else {
				high = mid
			}
		}
		c.fits(low)
		return true
	}
	c.fits(1)
	return false
}

// over returns by how many bytes one operation of a sequential schedule
// exceeds the SPM, which it has to itself.
func over(p *space.Problem, s *space.Schedule, op space.Op) int64 {
	alone := *s
	for _, other := range p.Pass.Ops() {
		if other != op {
			alone.Ops[other].Tile = [space.NumDims]int64{1, 1, 1}
		}
	}
	f := p.Footprint(&alone)
	return f.Over(0)
}

// buildMNPUSim follows the tiling heuristic of mNPUsim: long strips of rows,
// columns streamed, half of the SPM for the working set.
func buildMNPUSim(p *space.Problem) space.Schedule {
	s := sequential(p, func(op space.Op) space.Order {
		return space.Order{op.Rows(), op.Reduction(), op.Columns()}
	})
	for _, op := range p.Pass.Ops() {
		o := &s.Ops[op]
		rows, cols, red := op.Rows(), op.Columns(), op.Reduction()
		elements := p.HW.SPMBytes() / max(p.HW.BytesIn, 1)
		if elements == 0 { // unlimited
			elements = math.MaxInt64
		}
		o.Tile[rows], o.Tile[cols], o.Tile[red] = strip(
			p.Share(o, rows), p.Share(o, cols), p.Share(o, red), p.HW.Cols, elements)
		shrink(p, &s, op)
	}
	return s
}

// strip returns mNPUsim's extents of an m × n result with reduction k, for an
// array of some width and an SPM of some elements.
func strip(m, n, k, width, elements int64) (tm, tn, tk int64) {
	// The positive root of width·t² + (1+width)·m·t = half, without
	// cancellation where m is large.
	half := float64(elements) / 2
	a, b := float64(width), float64(1+width)*float64(m)
	tm, tk = m, atLeastOne(2*half/(b+math.Sqrt(b*b+4*a*half)))
	if k < tk {
		tk = k
		tm = min(m, max(1, elements/tk))
	}
	rest := func(x, y int64) int64 { // the third extent that fills the half
		return atLeastOne((half - float64(x)*float64(y)) / float64(x+y))
	}
	tn = min(n, rest(tm, tk))
	if tn == n {
		tk = min(k, rest(tm, tn))
	}
	return tm, tn, tk
}

// atLeastOne rounds down to a whole extent.
func atLeastOne(x float64) int64 {
	return int64(min(max(1, math.Floor(x)), math.MaxInt32))
}

// shrink takes an eighth off the largest extent until the operation fits.
func shrink(p *space.Problem, s *space.Schedule, op space.Op) {
	o := &s.Ops[op]
	for over(p, s, op) > 0 {
		widest := space.M
		for d := range space.NumDims {
			if o.Tile[d] > o.Tile[widest] {
				widest = d
			}
		}
		if o.Tile[widest] == 1 {
			return
		}
		o.Tile[widest] -= space.CeilDiv(o.Tile[widest], 8)
	}
}
