package analytic

import (
	"math"

	"github.com/npu-tune/npu-tune/space"
)

// moreFill bounds by how many cycles the fills of the array exceed those of
// the box's least number of operations, because tiles of the extents that make
// it so few do not fit the SPM together.
//
// Tiles of areas A, B and C have at most √(A·B·C) multiply-accumulates (Loomis
// and Whitney). With w bytes of SPM per element of each they take w·A + …, at
// most the SPM, so one operation has at most (S/3)^1.5/√(w·w·w) of them.
func (m *Model) moreFill(b *Box, scratch *Scratch) float64 {
	hw := &m.problem.HW
	if !hw.Pipelined || hw.NPools != 1 || hw.Pools[0].Bytes <= 0 {
		return 0
	}
	spm := float64(hw.Pools[0].Bytes)
	if hw.SharedSPM {
		spm *= float64(scratch.ops[0].cores)
	}
	x := &scratch.ops[0]
	if len(b.Ops) == 1 {
		return float64(x.fill) * max(x.least(spm)-x.count(), 0)
	}
	w := &scratch.ops[1]
	fx := float64(x.fill) * max(x.least(spm-float64(scratch.bounded[1])), x.count())
	fw := float64(w.fill) * max(w.least(spm-float64(scratch.bounded[0])), w.count())
	// Σ a·s^-1.5 over shares s of the SPM is least where s goes as a^0.4.
	sum := math.Pow(x.tight(), 0.4) + math.Pow(w.tight(), 0.4)
	joint := sum * sum * math.Sqrt(sum) / (spm * math.Sqrt(spm))
	return max(fx+fw, joint) - float64(x.fill)*x.count() - float64(w.fill)*w.count()
}

// count returns the box's least number of tile operations.
func (o *opBound) count() float64 { return float64(o.n[0]) * float64(o.n[1]) * float64(o.n[2]) }

// volume returns the multiply-accumulates of one core.
func (o *opBound) volume() float64 {
	return float64(o.share[0]) * float64(o.share[1]) * float64(o.share[2])
}

// tight returns the fill cycles of all operations with an SPM of s bytes, times
// s^1.5.
func (o *opBound) tight() float64 {
	w := &o.weight
	return float64(o.fill) * o.volume() * math.Sqrt(27*w[0]*w[1]*w[2])
}

// least bounds the number of operations whose tiles fit into spm bytes.
func (o *opBound) least(spm float64) float64 {
	if spm <= 0 {
		return 0
	}
	w := &o.weight
	third := spm / 3
	if w[0]*w[1]*w[2] <= 0 {
		return 0 // nothing is known of the pixels of X's tiles
	}
	most := third * math.Sqrt(third/(w[0]*w[1]*w[2]))
	for d := range space.NumDims {
		e, f := ownDims(d)
		t := float64(o.d[d].hi)
		if t*t*w[e]*w[f] >= third*w[d] {
			continue // the extent may be what the largest volume wants
		}
		// The other two extents, as alike as their tiles' weights make best.
		half := t * math.Sqrt(w[e]*w[f])
		side := (math.Sqrt(half*half+w[d]*spm) - half) / w[d]
		most = min(most, t*side*side)
	}
	return o.volume() / most * (1 - 1e-9)
}
