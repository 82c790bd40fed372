package simulator

import (
	"testing"

	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// touched counts the input pixels of the box around the windows of the first
// count output pixels, by looking at every tap.
func touched(w *models.Conv, count int64) int64 {
	type box struct{ top, left, bottom, right int64 }
	boxes := map[int64]*box{}
	for m := range count {
		image, p, q := m/(w.P*w.Q), m/w.Q%w.P, m%w.Q
		for r := range w.R {
			for s := range w.S {
				h, x := p*w.StrideH+r*w.DilationH, q*w.StrideW+s*w.DilationW
				b := boxes[image]
				if b == nil {
					b = &box{h, x, h, x}
					boxes[image] = b
				}
				b.top, b.left = min(b.top, h), min(b.left, x)
				b.bottom, b.right = max(b.bottom, h), max(b.right, x)
			}
		}
	}
	var n int64
	for _, b := range boxes {
		n += (b.bottom - b.top + 1) * (b.right - b.left + 1)
	}
	return n
}

// TestInputPixels counts taps where windows cover the input exactly, so that
// the formula has no rounding: no padding, no pixel left over.
func TestInputPixels(t *testing.T) {
	for _, w := range []models.Conv{
		{P: 4, Q: 5, R: 1, S: 1, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1},
		{P: 4, Q: 5, R: 3, S: 3, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1},
		{P: 3, Q: 3, R: 3, S: 3, StrideH: 2, StrideW: 2, DilationH: 1, DilationW: 1},
		{P: 3, Q: 4, R: 1, S: 7, StrideH: 1, StrideW: 3, DilationH: 1, DilationW: 2},
		{P: 2, Q: 6, R: 5, S: 2, StrideH: 3, StrideW: 1, DilationH: 2, DilationW: 3},
	} {
		w.H = (w.P-1)*w.StrideH + (w.R-1)*w.DilationH + 1
		w.W = (w.Q-1)*w.StrideW + (w.S-1)*w.DilationW + 1
		for count := int64(1); count <= 3*w.P*w.Q; count++ {
			if got, want := inputPixels(&w, count), touched(&w, count); got != want {
				t.Errorf("%+v: %d output pixels need %d input pixels, counted %d", w, count, got, want)
			}
		}
	}
}

func TestElements(t *testing.T) {
	window := &models.Conv{H: 6, W: 6, P: 4, Q: 4, R: 3, S: 3, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1}
	p := &space.Problem{Layer: models.Layer{M: 16, N: 8, K: 18, Conv: window}}
	for _, c := range []struct {
		tensor  space.Tensor
		tile    extents
		whole   int64
		because string
	}{
		{space.X, extents{16, 8, 18}, 72, "two channels of 6×6"},
		{space.GradX, extents{16, 8, 10}, 72, "a channel and one tap of the next"},
		{space.X, extents{1, 8, 1}, 1, "no more than the im2col matrix"},
		{space.X, extents{1, 8, 9}, 9, "one window"},
		{space.X, extents{5, 8, 9}, 24, "two output rows need four input rows"},
		{space.W, extents{16, 8, 18}, 144, "k·n"},
		{space.GradY, extents{5, 3, 18}, 15, "m·n"},
	} {
		if got := elements(p, c.tensor, c.tile); got != c.whole {
			t.Errorf("%v tile %v: %d elements, want %d: %s", c.tensor, c.tile, got, c.whole, c.because)
		}
	}
	p.HW.ExplicitIm2col = true
	if got := elements(p, space.X, extents{16, 8, 18}); got != 16*18 {
		t.Errorf("explicit im2col: %d elements, want %d", got, 16*18)
	}
}
