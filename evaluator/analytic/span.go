package analytic

import (
	"github.com/npu-tune/npu-tune/space"
)

// span is what is known of one dimension of an operation in a box.
type span struct {
	extent     int64 // the core's share
	lo, hi     int64 // tile extents
	n          int64 // least number of steps
	last       int64 // the last tile's least extent
	fixed      bool  // n is the number of steps everywhere in the box
	sumR, sumC int64 // least Σ⌈t/rows⌉ and Σ⌈t/columns⌉ over the tiles
	sumT       int64 // least Σ of the array's T over the tiles
	nMost      int64 // most steps
	// Of an implicit convolution's m, the pixels of one channel that tiles of
	// the extents lo, hi and last touch; of its k, the channels.
	window, windowHi, windowLast int64
}

// span fills what is known of a dimension, and reports whether it is not as it
// was.
func (m *Model) span(sp *span, d space.Dim, extent, lo, hi int64) bool {
	hi = min(hi, extent)
	lo = min(lo, hi)
	if sp.extent == extent && sp.lo == lo && sp.hi == hi {
		return false
	}
	m.fillSpan(sp, extent, lo, hi)
	switch {
	case !m.implicit || d == space.N:
	case d == space.M:
		c := m.problem.Layer.Conv
		sp.window, sp.windowHi = space.Pixels(c, lo), space.Pixels(c, hi)
		sp.windowLast = space.Pixels(c, sp.last)
	default:
		sp.window, sp.windowHi = space.CeilDiv(lo, m.window), space.CeilDiv(hi, m.window)
		sp.windowLast = space.CeilDiv(sp.last, m.window)
	}
	return true
}

func (m *Model) fillSpan(sp *span, extent, lo, hi int64) {
	hw := &m.problem.HW
	*sp = span{extent: extent, lo: lo, hi: hi, n: space.CeilDiv(extent, hi), last: 1}
	n := sp.n
	sp.nMost = n
	if lo < hi {
		sp.nMost = space.CeilDiv(extent, lo)
	}
	sp.fixed = n == sp.nMost
	sp.sumR, sp.sumC = space.CeilDiv(extent, hw.Rows), space.CeilDiv(extent, hw.Cols)
	sp.sumT = extent
	if !sp.fixed {
		sp.sumR, sp.sumC = max(sp.sumR, n), max(sp.sumC, n)
		if hw.Pipelined {
			sp.sumT = max(extent, n*hw.Rows)
		}
		return
	}
	sp.last = extent - (n-1)*hi
	if n > 1 {
		sp.sumR = max(sp.sumR, (n-1)*space.CeilDiv(lo, hw.Rows)+space.CeilDiv(sp.last, hw.Rows))
		sp.sumC = max(sp.sumC, (n-1)*space.CeilDiv(lo, hw.Cols)+space.CeilDiv(sp.last, hw.Cols))
	}
	if hw.Pipelined {
		sp.sumT = max(extent, (n-1)*max(lo, hw.Rows)+max(sp.last, hw.Rows))
	}
}
