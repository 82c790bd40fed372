package zoo

import (
	"fmt"

	"github.com/npu-tune/npu-tune/models"
)

// builder collects a network's layers in forward order. Its methods add layers
// and count the parameters that no GEMM holds. The first impossibility is kept
// in err and building goes on with harmless sizes, so that architectures need
// no error handling of their own.
type builder struct {
	network string
	images  int64 // images, sequences or records per step
	side    int64 // rows and columns of an input image
	seq     int64 // tokens of a sequence
	layers  []models.Layer
	other   int64 // parameters that belong to no GEMM
	notes   []string
	err     error
}

// note adds a sentence on what the layer list assumes or leaves out.
func (b *builder) note(text string) { b.notes = append(b.notes, text) }

// fail keeps the first error.
func (b *builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("%w: "+format, append([]any{ErrOption}, args...)...)
	}
}

// product multiplies extents; a result beyond models.MaxDim is an error of the
// layer, found before anything overflows.
func (b *builder) product(layer string, extents ...int64) int64 {
	p := int64(1)
	for _, e := range extents {
		if p *= e; p > models.MaxDim {
			b.fail("%s needs an extent beyond %d in layer %s; want a smaller batch, image or seq", b.network, models.MaxDim, layer)
			return 1
		}
	}
	return p
}

// linear adds Y[rows,out] = X[rows,in]·W[in,out].
func (b *builder) linear(name string, rows, in, out int64, bias bool) {
	b.layers = append(b.layers, models.Layer{Name: name, M: rows, N: out, K: in})
	if bias {
		b.other += out
	}
}

// norm counts the scale of a normalization and, if it has one, the shift.
func (b *builder) norm(features int64, shift bool) {
	b.other += features
	if shift {
		b.other += features
	}
}

// embedding counts a table that is looked up, not multiplied.
func (b *builder) embedding(rows, width int64) { b.other += rows * width }
