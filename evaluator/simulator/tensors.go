package simulator

import (
	"math/rand/v2"

	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// number is what a replay carries: float32 as NPUs do, int64 to be exact.
type number interface{ float32 | int64 }

// inputs are what one batch reads: X[M,K] as a matrix, or as images
// [images, channels, H, W] of a convolution; W[K,N]; dY[M,N]; all row by row.
type inputs[T number] struct {
	x, w, dy []T
}

// draw makes random inputs. Floats are positive, 0.5 to 1.5, so that sums do
// not cancel and a relative error means something; integers are -8 to 8.
func draw[T number](p *space.Problem, rng *rand.Rand) inputs[T] {
	l := &p.Layer
	fill := func(n int64) []T {
		v := make([]T, n)
		for i := range v {
			v[i] = drawOne[T](rng)
		}
		return v
	}
	return inputs[T]{x: fill(inputSize(l)), w: fill(l.K * l.N), dy: fill(l.M * l.N)}
}

func drawOne[T number](rng *rand.Rand) T {
	var v T
	switch p := any(&v).(type) {
	case *float32:
		*p = 0.5 + rng.Float32()
	case *int64:
		*p = rng.Int64N(17) - 8
	}
	return v
}

// inputSize returns the elements of X as it lies in DRAM before any im2col.
func inputSize(l *models.Layer) int64 {
	if l.Conv == nil {
		return l.M * l.K
	}
	g := window{l.Conv}
	return g.images(l) * g.channels(l) * l.Conv.H * l.Conv.W
}

// window places the taps of a convolution.
type window struct{ *models.Conv }

func (w window) images(l *models.Layer) int64   { return l.M / (w.P * w.Q) }
func (w window) channels(l *models.Layer) int64 { return l.K / (w.R * w.S) }

// pixel returns where im2col finds element (m, k): the pixel's place in the
// images, or -1 in the padding.
func (w window) pixel(channels, m, k int64) int64 {
	image, p, q := m/(w.P*w.Q), m/w.Q%w.P, m%w.Q
	c, r, s := k/(w.R*w.S), k/w.S%w.R, k%w.S
	row := p*w.StrideH + r*w.DilationH - w.PadH
	column := q*w.StrideW + s*w.DilationW - w.PadW
	if row < 0 || row >= w.H || column < 0 || column >= w.W {
		return -1
	}
	return ((image*channels+c)*w.H+row)*w.W + column
}

// im2col unfolds images to X[M,K].
func im2col[T number](l *models.Layer, images []T) []T {
	w := window{l.Conv}
	x := make([]T, l.M*l.K)
	for m := range l.M {
		for k := range l.K {
			if at := w.pixel(w.channels(l), m, k); at >= 0 {
				x[m*l.K+k] = images[at]
			}
		}
	}
	return x
}

// col2im folds dX[M,K] back to images: pixels that several windows touch sum.
func col2im[T number](l *models.Layer, x []T) []T {
	w := window{l.Conv}
	images := make([]T, inputSize(l))
	for m := range l.M {
		for k := range l.K {
			if at := w.pixel(w.channels(l), m, k); at >= 0 {
				images[at] += x[m*l.K+k]
			}
		}
	}
	return images
}
