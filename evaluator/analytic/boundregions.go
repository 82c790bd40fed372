package analytic

import (
	"github.com/npu-tune/npu-tune/space"
)

// boundRegions bounds the SPM bytes of the operation's regions. A merged dY
// counts with dx.
func (m *Model) boundRegions(o *opBound, b *Box, alone bool, shared int) {
	hw := &m.problem.HW
	o.use, o.common = use{}, 0
	for lacks := range space.NumDims {
		merged := b.Merged && lacks == space.K && o.kind != space.Fwd
		x, y := ownDims(lacks)
		hold := o.hold[lacks]
		var extent [2]int64
		times := int64(1)
		changes := false
		for i, d := range [2]space.Dim{x, y} {
			sp := &o.d[d]
			pos := o.q[d]
			extent[i] = sp.lo
			switch {
			case merged && pos == 2 && hold == 3 && shared == 3:
				times = min(b.BurstLo, sp.n)
			case pos >= hold:
				extent[i] = max(sp.extent, sp.n*sp.lo)
			}
			switch {
			case sp.n == 1:
			case alone || merged || int(pos) >= shared:
				changes = true
			case shared == 3 && pos == 2 && b.BurstLo > 1:
				changes = true
			}
		}
		width := hw.BytesIn
		if lacks == o.kind.Reduction() {
			width = hw.BytesAcc
		}
		if hw.SharedSPM {
			width *= o.copies[lacks]
		}
		o.weight[lacks] = float64(width)
		if lacks == space.N && m.implicit {
			o.weight[lacks] *= min(1, m.pixelRatio(o.d[space.M].hi)/float64(m.window))
		}
		if merged {
			o.weight[lacks] /= 2 // each gradient pays half of what both use
			if o.kind == space.DW {
				if changes {
					o.weight[lacks] *= 2
				}
				continue
			}
		}
		elements := times * m.blockBound(o, lacks, extent)
		if changes {
			o.weight[lacks] *= 2
			elements = max(elements, 2*m.tile(o, lacks, least))
		}
		o.use[role(&o.op, lacks)] += elements * width
		if merged {
			o.common = elements * width
		}
	}
}

// blockBound bounds the elements of a block of the given extents.
func (m *Model) blockBound(o *opBound, lacks space.Dim, extent [2]int64) int64 {
	product := extent[0] * extent[1]
	if lacks != space.N || !m.implicit {
		return product
	}
	sm, sk := &o.d[space.M], &o.d[space.K]
	pixels := sm.window
	if extent[0] != sm.lo {
		pixels = max(int64(float64(sm.extent)*m.pixelRatio(sm.hi)*(1-1e-12)), sm.n*pixels)
	}
	channels := sk.window
	if extent[1] != sk.lo {
		channels = max(space.CeilDiv(sk.extent, m.window), sk.n*channels)
	}
	return min(product, channels*pixels)
}
