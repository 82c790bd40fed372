package bound

import (
	"math"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/space"
)

// parts is into how many parts each dimension is split over the cores.
type parts [space.NumDims]int64

func (p parts) cores() int64 { return p[0] * p[1] * p[2] }

// arrayWork is what the operation's tile operations cost one core's array under
// a dataflow: cycles whatever the tiling, and a fill at least fills times, or
// once per operation if there are more.
type arrayWork struct{ cycles, fill, fills float64 }

// at returns the least array cycles of n tile operations.
func (w arrayWork) at(n float64) float64 { return w.cycles + w.fill*max(n, w.fills) }

// array returns what a core's share costs under a dataflow (docs/bounds.md,
// section 5).
func (m *model) array(op space.Op, share [space.NumDims]int64, flow hardware.Dataflow) arrayWork {
	a, b, r := share[op.Rows()], share[op.Columns()], share[op.Reduction()]
	down, across, stream := a, b, r
	fill := m.hw.Rows + m.hw.Cols - 2
	switch flow {
	case hardware.WS:
		down, across, stream, fill = r, b, a, fill+m.hw.Rows
	case hardware.IS:
		down, across, stream, fill = r, a, b, fill+m.hw.Rows
	}
	folds := float64(space.CeilDiv(down, m.hw.Rows)) * float64(space.CeilDiv(across, m.hw.Cols))
	if m.hw.Pipelined {
		return arrayWork{folds * float64(max(stream, m.hw.Rows)), float64(fill), 1}
	}
	return arrayWork{folds * float64(stream), float64(fill), folds}
}

// share returns a core's share of each dimension; of any number of cores it may
// be a single element.
func (m *model) share(p parts) (s [space.NumDims]int64) {
	for d := range s {
		s[d] = 1
		if m.hw.Cores > 0 {
			s[d] = space.CeilDiv(m.dims[d], p[d])
		}
	}
	return s
}

// fewest returns a bound on the tile operations that a core needs so that each
// one's three tiles fit the SPM. alone: nothing else runs between them, so at
// least two of three tensors have two slots where there are two operations.
func (m *model) fewest(o *operation, p parts, alone bool) float64 {
	if m.hw.Cores == 0 {
		return 1
	}
	share := m.share(p)
	var held, used [space.NumDims]float64
	product := 1.0 // of the elements of the three tiles
	members := [hardware.NumRoles]float64{}
	for d := range space.NumDims {
		held[d] = o.held[d]
		if m.hw.SharedSPM && d != o.out {
			held[d] /= float64(p[d]) // one copy serves as many cores
		}
		sides := dimsBut(d)
		used[o.pool[d]] += held[d] * float64(share[sides[0]]) * float64(share[sides[1]])
		members[o.pool[d]]++
	}
	fits := true
	for d := range space.NumDims {
		fits = fits && used[o.pool[d]] <= o.room[d]
		product *= o.room[d] / members[o.pool[d]] / held[d]
	}
	if fits {
		return 1
	}
	if alone {
		product /= 4
	}
	return max(2, float64(share[0])*float64(share[1])*float64(share[2])/math.Sqrt(product))
}

// flows calls f with each dataflow of the array.
func (m *model) flows(f func(hardware.Dataflow)) {
	for flow := range hardware.NumDataflows {
		if m.hw.HasDataflow(flow) {
			f(flow)
		}
	}
}

// eachParts calls f with every way to split the dimensions over the cores. For
// any number of cores that is once, with the fewest copies of each tensor.
func (m *model) eachParts(f func(parts)) {
	if m.hw.Cores == 0 {
		f(parts{1, 1, 1})
		return
	}
	for a := int64(1); a <= min(m.hw.Cores, m.dims[0]); a++ {
		for b := int64(1); a*b <= m.hw.Cores && b <= m.dims[1]; b++ {
			for c := int64(1); a*b*c <= m.hw.Cores && c <= m.dims[2]; c++ {
				f(parts{a, b, c})
			}
		}
	}
}
