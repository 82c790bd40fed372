package models

import (
	"errors"
	"fmt"
)

// MaxDim is the largest extent of a GEMM dimension, a batch or a window that
// a layer may have.
const MaxDim = int64(1) << 31

// ErrLayer is wrapped by every error of Layer.Validate.
var ErrLayer = errors.New("invalid layer")

// Conv is the window of a convolution lowered to a GEMM with
// M = images·P·Q, N = output channels and K = channels·R·S (both per group),
// k ordered channel by channel.
type Conv struct {
	H         int64 `json:"h" yaml:"h"`                   // input rows, unpadded
	W         int64 `json:"w" yaml:"w"`                   // input columns, unpadded
	P         int64 `json:"p" yaml:"p"`                   // output rows
	Q         int64 `json:"q" yaml:"q"`                   // output columns
	R         int64 `json:"r" yaml:"r"`                   // filter rows
	S         int64 `json:"s" yaml:"s"`                   // filter columns
	StrideH   int64 `json:"stride_h" yaml:"stride_h"`     // input rows between output rows
	StrideW   int64 `json:"stride_w" yaml:"stride_w"`     // input columns between output columns
	DilationH int64 `json:"dilation_h" yaml:"dilation_h"` // input rows between filter rows
	DilationW int64 `json:"dilation_w" yaml:"dilation_w"` // input columns between filter columns
	// PadH and PadW are the padding above and left of the input. They place
	// the window; no figure of the cost model depends on them.
	PadH int64 `json:"pad_h,omitempty" yaml:"pad_h,omitempty"`
	PadW int64 `json:"pad_w,omitempty" yaml:"pad_w,omitempty"`
}

// Layer is one GEMM of a network, in the forward direction:
// Y[M,N] = X[M,K]·W[K,N], repeated Batch times (groups of a grouped
// convolution, heads × images of a batched matmul).
type Layer struct {
	Name  string `json:"name,omitempty" yaml:"name,omitempty"`
	M     int64  `json:"m" yaml:"m"`
	N     int64  `json:"n" yaml:"n"`
	K     int64  `json:"k" yaml:"k"`
	Batch int64  `json:"batch,omitempty" yaml:"batch,omitempty"` // 0 means 1
	Conv  *Conv  `json:"conv,omitempty" yaml:"conv,omitempty"`   // nil: a plain GEMM
	// NoInputGrad says that nothing trainable lies below the layer, so its
	// backward pass is dW alone.
	NoInputGrad bool `json:"no_input_grad,omitempty" yaml:"no_input_grad,omitempty"`
	// Activations says that W is an activation too (the two matmuls of
	// attention): it holds no parameters, and its gradient is an activation's.
	Activations bool `json:"activations,omitempty" yaml:"activations,omitempty"`
	// Count is how often the layer occurs in its model; 0 means 1.
	Count int64 `json:"count,omitempty" yaml:"count,omitempty"`
}

// Batches returns how often the GEMM is repeated, at least 1.
func (l Layer) Batches() int64 { return max(l.Batch, 1) }

// Occurrences returns how often the layer occurs in its model, at least 1.
func (l Layer) Occurrences() int64 { return max(l.Count, 1) }

// MACs returns the multiply-accumulates of one of the layer's operations, all
// batches of one occurrence.
func (l Layer) MACs() int64 { return l.M * l.N * l.K * l.Batches() }

// Parameters returns the weights of one occurrence, without biases; 0 for a
// matmul of two activations.
func (l Layer) Parameters() int64 {
	if l.Activations {
		return 0
	}
	return l.K * l.N * l.Batches()
}

// SameProblem reports whether two layers pose the same tuning problem: equal
// shapes, window and need of an input gradient. Names and counts may differ.
func (l Layer) SameProblem(o Layer) bool {
	if l.M != o.M || l.N != o.N || l.K != o.K || l.Batches() != o.Batches() || l.NoInputGrad != o.NoInputGrad {
		return false
	}
	if l.Conv == nil || o.Conv == nil {
		return l.Conv == o.Conv
	}
	return *l.Conv == *o.Conv
}

// Validate reports every violation at once: extents outside 1..MaxDim, and a
// window that does not belong to the GEMM.
func (l Layer) Validate() error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%w %q: "+format, append([]any{ErrLayer, l.Name}, args...)...))
	}
	check := func(field string, v, low int64) {
		if v < low || v > MaxDim {
			bad("%s is %d, want %d to %d", field, v, low, MaxDim)
		}
	}
	check("m", l.M, 1)
	check("n", l.N, 1)
	check("k", l.K, 1)
	check("batch", l.Batch, 0)
	check("count", l.Count, 0)
	if c := l.Conv; c != nil {
		for _, f := range []struct {
			name string
			v    int64
			low  int64
		}{
			{"h", c.H, 1}, {"w", c.W, 1}, {"p", c.P, 1}, {"q", c.Q, 1}, {"r", c.R, 1}, {"s", c.S, 1},
			{"stride_h", c.StrideH, 1}, {"stride_w", c.StrideW, 1},
			{"dilation_h", c.DilationH, 1}, {"dilation_w", c.DilationW, 1},
			{"pad_h", c.PadH, 0}, {"pad_w", c.PadW, 0},
		} {
			check("conv."+f.name, f.v, f.low)
		}
		if len(errs) == 0 {
			if l.M%(c.P*c.Q) != 0 {
				bad("m is %d, want a multiple of conv.p·conv.q = %d (one image)", l.M, c.P*c.Q)
			}
			if l.K%(c.R*c.S) != 0 {
				bad("k is %d, want a multiple of conv.r·conv.s = %d (one channel)", l.K, c.R*c.S)
			}
		}
	}
	return errors.Join(errs...)
}
