package simulator

import (
	"gonum.org/v1/gonum/mat"

	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// reference computes an operation's output without tiles: floats in double
// precision. dX of a convolution is the gradient of its images.
func reference[T number](l *models.Layer, op space.Op, in inputs[T]) []float64 {
	x, w, dy := doubles(in.x), doubles(in.w), doubles(in.dy)
	if l.Conv != nil {
		return direct(l, op, x, w, dy)
	}
	var out mat.Dense
	mx, mw, mdy := dense(l.M, l.K, x), dense(l.K, l.N, w), dense(l.M, l.N, dy)
	switch op {
	case space.Fwd:
		out.Mul(mx, mw)
	case space.DX:
		out.Mul(mdy, mw.T())
	default:
		out.Mul(mx.T(), mdy)
	}
	return out.RawMatrix().Data
}

func dense(rows, columns int64, v []float64) *mat.Dense {
	return mat.NewDense(int(rows), int(columns), v)
}

// doubles converts; integers of a replay are small enough to stay exact, and
// so are their sums up to 2⁵³.
func doubles[T number](v []T) []float64 {
	d := make([]float64, len(v))
	for i := range v {
		d[i] = float64(v[i])
	}
	return d
}

// direct is the convolution and its two gradients straight from the
// definition: every output pixel, every channel, every tap.
func direct(l *models.Layer, op space.Op, x, w, dy []float64) []float64 {
	c := l.Conv
	channels := l.K / (c.R * c.S)
	out := make([]float64, map[space.Op]int{space.Fwd: len(dy), space.DX: len(x), space.DW: len(w)}[op])
	for image := range l.M / (c.P * c.Q) {
		for p := range c.P {
			for q := range c.Q {
				y := ((image*c.P+p)*c.Q + q) * l.N
				for ch := range channels {
					taps(c, p, q, func(tap, row, column int64) {
						px := ((image*channels+ch)*c.H+row)*c.W + column
						f := (ch*c.R*c.S + tap) * l.N
						for n := range l.N {
							switch op {
							case space.Fwd:
								out[y+n] += x[px] * w[f+n]
							case space.DX:
								out[px] += dy[y+n] * w[f+n]
							default:
								out[f+n] += x[px] * dy[y+n]
							}
						}
					})
				}
			}
		}
	}
	return out
}

// taps visits the taps of the window at output pixel (p, q) that meet the
// input.
func taps(c *models.Conv, p, q int64, visit func(tap, row, column int64)) {
	for r := range c.R {
		row := p*c.StrideH - c.PadH + r*c.DilationH
		for s := range c.S {
			column := q*c.StrideW - c.PadW + s*c.DilationW
			if row >= 0 && row < c.H && column >= 0 && column < c.W {
				visit(r*c.S+s, row, column)
			}
		}
	}
}
