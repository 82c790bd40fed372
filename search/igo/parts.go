package igo

import (
	"math"

	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// halves is into how many parts a layer is cut that one core runs one part
// after the other.
const halves = 2

// dim returns the dimension that is split.
func (p Partition) dim() space.Dim {
	return [NumPartitions]space.Dim{WeightSharing: space.M, InputSharing: space.N, DYSharing: space.K}[p]
}

// split returns the parts of each dimension over the NPU's cores, without
// cores that would have nothing to do; false where the dimension has fewer
// than two elements.
func (p Partition) split(problem *space.Problem) ([space.NumDims]uint16, bool) {
	parts := [space.NumDims]uint16{1, 1, 1}
	size := problem.Dim(p.dim())
	share := space.CeilDiv(size, min(size, problem.HW.Cores, math.MaxUint16))
	n := space.CeilDiv(size, share)
	parts[p.dim()] = uint16(n)
	return parts, n > 1
}

// part is a piece of a layer that occurs so many times.
type part struct {
	problem space.Problem
	count   int64
}

// cut returns the parts of a layer: whole images of m and whole channels of k
// where it is a convolution. None where there are fewer than two.
func (p Partition) cut(problem *space.Problem) []part {
	d := p.dim()
	l := problem.Layer
	size, unit := problem.Dim(d), unitOf(&l, d)
	first := space.CeilDiv(size/unit, halves) * unit
	if first >= size {
		return nil
	}
	parts := []part{{*problem, size / first}}
	setDim(&parts[0].problem.Layer, d, first)
	if rest := size % first; rest > 0 {
		parts = append(parts, part{*problem, 1})
		setDim(&parts[1].problem.Layer, d, rest)
	}
	return parts
}

// unitOf returns what a dimension is cut in multiples of.
func unitOf(l *models.Layer, d space.Dim) int64 {
	switch {
	case l.Conv != nil && d == space.M:
		return l.Conv.P * l.Conv.Q
	case l.Conv != nil && d == space.K:
		return l.Conv.R * l.Conv.S
	}
	return 1
}

func setDim(l *models.Layer, d space.Dim, size int64) {
	switch d {
	case space.M:
		l.M = size
	case space.N:
		l.N = size
	case space.K:
		l.K = size
	}
}

// sums is what it takes, beside the parts themselves, that they add to one
// gradient one after the other: every part but the last leaves partial sums
// instead of results, and every part but the first loads them, in a stage of
// its own.
func (p Partition) sums(problem *space.Problem, parts int64) Figures {
	var elements int64
	switch p {
	case WeightSharing:
		elements = problem.Layer.K * problem.Layer.N
	case InputSharing:
		elements = problem.XElements(problem.Layer.M, problem.Layer.K)
	default:
		return Figures{}
	}
	hw := &problem.HW
	read, write := elements*hw.BytesAcc, elements*(hw.BytesAcc-hw.BytesOut)
	one := Figures{Cycles: float64(hw.DMALatency) + float64(read+write)/hw.BytesPerCycle, Read: read, Write: write}
	return one.times((parts - 1) * problem.Layer.Batches())
}
