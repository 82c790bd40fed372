package space

import (
	"errors"
	"fmt"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
)

// Problem is one pass of one layer on one NPU: what a schedule is a schedule
// of.
type Problem struct {
	Layer models.Layer
	HW    hardware.Params
	Pass  Pass
}

// ErrOverflow is wrapped where a figure of a problem would not fit in 64 bits.
var ErrOverflow = errors.New("size overflows 64-bit figures")

// Dim returns the layer's extent in d.
func (p *Problem) Dim(d Dim) int64 {
	switch d {
	case M:
		return p.Layer.M
	case N:
		return p.Layer.N
	}
	return p.Layer.K
}

// Share returns what one core runs of d: its extent divided by the parts,
// rounded up.
func (p *Problem) Share(o *OpSchedule, d Dim) int64 { return CeilDiv(p.Dim(d), o.Parts(d)) }

// Implicit reports whether X and dX move as input pixels (implicit im2col).
func (p *Problem) Implicit() bool { return p.Layer.Conv != nil && !p.HW.ExplicitIm2col }

// CeilDiv returns ⌈a/b⌉ for a ≥ 0, b > 0.
func CeilDiv(a, b int64) int64 { return (a + b - 1) / b }

// LCM returns the least common multiple of a, b > 0.
func LCM(a, b int64) int64 {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}

// Check reports a layer that is invalid or so large that a figure of some
// schedule could overflow 64 bits.
func (p *Problem) Check() error {
	if err := p.Layer.Validate(); err != nil {
		return err
	}
	size := float64(p.Layer.M) * float64(p.Layer.N) * float64(p.Layer.K)
	if p.overflows(size * float64(max(p.HW.Cores, 1))) {
		return fmt.Errorf("%w: layer %q has m·n·k·batch = %.4g", ErrOverflow, p.Layer.Name, size*float64(p.Layer.Batches()))
	}
	return nil
}

// overflows reports whether a figure of some schedule could overflow, where
// one batch has as many multiply-accumulates on all cores.
func (p *Problem) overflows(macs float64) bool {
	// The largest figures are those of one-element tiles: each of the m·n·k
	// operations costs at most a fill and T cycles, and moves or touches a
	// few elements. The factor 64 covers every constant of the cost model.
	hw := &p.HW
	perOp := max(float64(2*hw.Rows+hw.Cols+1), 64*float64(max(hw.BytesIn, hw.BytesOut, hw.BytesAcc)))
	return macs*float64(p.Layer.Batches())*perOp >= 1<<62
}

// XElements returns the elements of one tile of X or dX of extents tm × tk:
// input pixels where the im2col is implicit, else tm·tk (cost model section 1).
func (p *Problem) XElements(tm, tk int64) int64 {
	if !p.Implicit() {
		return tm * tk
	}
	c := p.Layer.Conv
	return min(tm*tk, CeilDiv(tk, c.R*c.S)*Pixels(c, tm))
}

// Pixels returns how many input pixels of one channel the cost model counts for
// tm consecutive output pixels (section 1): those of tiles that begin at an
// output row. One that begins inside a row may touch a few more.
func Pixels(c *models.Conv, tm int64) int64 {
	full, rem := tm/(c.P*c.Q), tm%(c.P*c.Q)
	if rem == 0 {
		return full * c.H * c.W
	}
	rows := CeilDiv(rem, c.Q)
	ih := min(c.H, (rows-1)*c.StrideH+c.DilationH*(c.R-1)+1)
	iw := c.W
	if rem <= c.Q {
		iw = min(c.W, (rem-1)*c.StrideW+c.DilationW*(c.S-1)+1)
	}
	return full*c.H*c.W + ih*iw
}
