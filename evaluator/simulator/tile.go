package simulator

import (
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// extents are lengths along m, n and k, indexed by space.Dim.
type extents [space.NumDims]int64

// tiling cuts one core's share of the GEMM into tiles.
type tiling struct {
	share extents // what one core runs
	tile  extents // largest tile, at most the share
	steps extents // tiles along each dimension
}

func newTiling(p *space.Problem, o *space.OpSchedule) tiling {
	var t tiling
	for d := range space.NumDims {
		parts := max(int64(o.Cores[d]), 1)
		whole := p.Dim(d)
		t.share[d] = whole / parts
		if whole%parts > 0 {
			t.share[d]++
		}
		t.tile[d] = min(o.Tile[d], t.share[d])
		t.steps[d] = t.share[d] / t.tile[d]
		if t.share[d]%t.tile[d] > 0 {
			t.steps[d]++
		}
	}
	return t
}

// at returns the extents of the tile with the given indices; the last one
// along a dimension may be smaller than the others.
func (t *tiling) at(index extents) extents {
	var e extents
	for d := range e {
		e[d] = min(t.tile[d], t.share[d]-index[d]*t.tile[d])
	}
	return e
}

// count returns how many tile operations the tiling makes.
func (t *tiling) count() int64 { return t.steps[0] * t.steps[1] * t.steps[2] }

// elements returns how many elements of a tensor a tile of extents e has: the
// product of its two extents, or input pixels for X and dX of a convolution
// with implicit im2col (cost model section 1).
func elements(p *space.Problem, t space.Tensor, e extents) int64 {
	if t != space.X && t != space.GradX {
		a, b := sides(t)
		return e[a] * e[b]
	}
	tm, tk := e[space.M], e[space.K]
	window := p.Layer.Conv
	if window == nil || p.HW.ExplicitIm2col {
		return tm * tk
	}
	channels := tk / (window.R * window.S)
	if channels*window.R*window.S < tk {
		channels++
	}
	return min(tm*tk, channels*inputPixels(window, tm))
}

// inputPixels returns the input pixels of one channel that count output pixels
// need: whole images, then the box that spans the windows of the rest.
func inputPixels(w *models.Conv, count int64) int64 {
	image := w.P * w.Q
	pixels := count / image * w.H * w.W
	rest := count % image
	if rest == 0 {
		return pixels
	}
	rows, columns := (rest-1)/w.Q+1, rest
	height := min(w.H, span(rows, w.StrideH, w.R, w.DilationH))
	width := w.W
	if columns <= w.Q {
		width = min(w.W, span(columns, w.StrideW, w.S, w.DilationW))
	}
	return pixels + height*width
}

// span returns the length of input that count windows of the given taps cover
// along one axis.
func span(count, stride, taps, dilation int64) int64 {
	lastWindow := stride * (count - 1)
	lastTap := dilation * (taps - 1)
	return lastWindow + lastTap + 1
}

// sides returns the dimensions that the tensor has: rows, then columns.
func sides(t space.Tensor) (a, b space.Dim) {
	switch t {
	case space.X, space.GradX:
		return space.M, space.K
	case space.W, space.GradW:
		return space.K, space.N
	default:
		return space.M, space.N
	}
}
