package analytic

import (
	"github.com/npu-tune/npu-tune/space"
)

// boundTraffic bounds bytes, the first loads, the last write and the number
// of operations that load something.
func (m *Model) boundTraffic(o *opBound, b *Box) {
	hw := &m.problem.HW
	out := o.kind.Reduction()
	o.bytes, o.access, o.edge, o.prologue, o.loads = 0, 0, 0, 0, 0
	all := o.n[0] * o.n[1] * o.n[2]
	zeros := [2]int64{1, 1} // steps of the loops at whose first step an input loads
	inputs := 0
	for lacks := range space.NumDims {
		ownY := lacks == space.K && o.kind != space.Fwd
		o.moved[lacks], o.reloads[lacks] = 0, false
		if ownY && b.Merged && o.kind == space.DW {
			continue
		}
		steps := o.n[o.q[lacks]]
		reload := o.mustReload(lacks, b, ownY && b.Merged)
		whole := m.wholeBound(o, lacks)
		o.reloads[lacks] = reload
		if lacks != out {
			visits := int64(1)
			if reload {
				visits = steps
				o.loads = all
			}
			zeros[inputs] = steps
			inputs++
			o.moved[lacks] = whole * visits * hw.BytesIn * o.copies[lacks]
			o.bytes += o.moved[lacks]
			o.access += whole * visits * hw.BytesIn * o.cores
			o.prologue += m.tile(o, lacks, least) * hw.BytesIn * o.copies[lacks]
			o.edge += m.tile(o, lacks, largest) * hw.BytesIn * o.copies[lacks]
			continue
		}
		final := hw.BytesOut
		if o.split {
			final = hw.BytesAcc
		}
		each := whole * final
		o.writes = all / steps
		if reload {
			o.writes = all
			each += whole * 2 * (steps - 1) * hw.BytesAcc
			o.loads = max(o.loads, all/steps*(steps-1))
		}
		o.moved[lacks] = each * o.cores
		o.bytes += o.moved[lacks]
		o.access += each * o.cores
		o.edge += 2 * m.tile(o, lacks, largest) * hw.BytesAcc * o.cores
		o.epilogue = m.tile(o, lacks, last) * final * o.cores
	}
	if o.loads == all {
		return
	}
	if inputs == 2 {
		o.loads = max(o.loads, all/(zeros[0]*zeros[1])*(zeros[0]+zeros[1]-1))
	} else {
		o.loads = max(o.loads, all/zeros[0])
	}
}

// size names a tile of a box: of the least or the largest extents, or the last
// one of a loop at its least.
type size uint8

const (
	least size = iota
	largest
	last
)

// of returns a dimension's extent in a tile of the given size, and the window
// that it spans.
func (sp *span) of(z size) (extent, window int64) {
	switch z {
	case least:
		return sp.lo, sp.window
	case largest:
		return sp.hi, sp.windowHi
	}
	return sp.last, sp.windowLast
}

// tile returns the elements of an operand's tile.
func (m *Model) tile(o *opBound, lacks space.Dim, z size) int64 {
	x, y := ownDims(lacks)
	a, wa := o.d[x].of(z)
	b, wb := o.d[y].of(z)
	if lacks == space.N && m.implicit {
		return min(a*b, wa*wb)
	}
	return a * b
}

// mustReload reports whether the operand reloads in every schedule of the box.
func (o *opBound) mustReload(lacks space.Dim, b *Box, merged bool) bool {
	inner := -1
	for pos := range int(o.outer[lacks]) {
		if o.order[pos] == lacks {
			continue
		}
		n := o.n[pos]
		if merged && pos == 2 && b.Plan.Shared == 3 {
			n = space.CeilDiv(n, b.BurstHi)
		}
		if n > 1 {
			inner = pos
		}
	}
	return int(o.q[lacks]) < inner
}

// wholeBound bounds the elements of all tiles of one core's share of an
// operand.
func (m *Model) wholeBound(o *opBound, lacks space.Dim) int64 {
	x, y := ownDims(lacks)
	if lacks != space.N || !m.implicit {
		return o.share[x] * o.share[y]
	}
	sm, sk := &o.d[space.M], &o.d[space.K]
	perChannel := m.pixelRatio(sm.hi)
	least := int64(float64(sm.extent) * float64(sk.extent) * min(1, perChannel/float64(m.window)) * (1 - 1e-12))
	if sm.fixed {
		least = max(least, (sm.n-1)*m.stripBound(sk, sm.lo, sm.window)+m.stripBound(sk, sm.last, sm.windowLast))
	}
	return least
}

// stripBound bounds the elements of X's tiles with tm rows, which touch so many
// pixels, all k.
func (m *Model) stripBound(sk *span, tm, pixels int64) int64 {
	if sk.lo == sk.hi {
		return (sk.n-1)*min(tm*sk.lo, sk.window*pixels) + min(tm*sk.last, sk.windowLast*pixels)
	}
	// A core's share of k need not be whole channels; of a part of a channel,
	// either all pixels count or all of its elements.
	return min(tm*sk.extent, sk.extent*pixels/m.window)
}

// pixelRatio returns the least input pixels per output pixel of one channel in
// tiles of at most tm output pixels.
func (m *Model) pixelRatio(tm int64) float64 {
	if len(m.ratio) == 0 {
		return 0
	}
	return m.ratio[min(tm, int64(len(m.ratio)))-1]
}

// maxRatios bounds the table of pixel ratios: an output image of 2²¹ pixels.
const maxRatios = 1 << 21

// pixelRatios tabulates pixelRatio for tiles up to one image; larger tiles
// have no better ratio, since each of their images has at least this one's.
func (m *Model) pixelRatios() {
	c := m.problem.Layer.Conv
	image := min(c.P*c.Q, m.problem.Layer.M)
	if image > maxRatios {
		return
	}
	m.ratio = make([]float64, image)
	least := float64(space.Pixels(c, 1))
	for t := range image {
		least = min(least, float64(space.Pixels(c, t+1))/float64(t+1))
		m.ratio[t] = least
	}
}
