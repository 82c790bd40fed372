package scalesim

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/npu-tune/npu-tune/models"
)

// layer reads the layer of a row.
func (r *reader) layer(line int, row []string) {
	before := len(r.errs)
	label := r.cell(row, name)
	if label == "" {
		r.badf(line, "the row has no layer name, want one in column %d", r.columns.of[name]+1)
	}
	var l models.Layer
	if r.columns.gemm {
		l = r.gemm(line, row, label)
	} else {
		l = r.convolution(line, row, label)
	}
	if s := r.cell(row, sparsity); s != "" && s != "1:1" {
		r.sparse = append(r.sparse, label)
	}
	if len(r.errs) > before {
		return
	}
	l.Name = r.unique(label, line)
	r.macs += float64(l.M) * float64(l.N) * float64(l.K) * float64(l.Batches())
	r.layers = append(r.layers, l)
}

// unique returns a name that no other layer has: with its line behind it where
// one has it already.
func (r *reader) unique(label string, line int) string {
	if _, taken := r.lines[label]; taken {
		r.renamed++
		label = fmt.Sprintf("%s@%d", label, line)
	}
	r.lines[label] = line
	return label
}

// cell returns what a row has of a field; empty where it has nothing.
func (r *reader) cell(row []string, f field) string {
	if i := r.columns.of[f]; i >= 0 && i < len(row) {
		return row[i]
	}
	return ""
}

// extent reads a whole number of 1 to models.MaxDim.
func (r *reader) extent(line int, row []string, label string, f field) int64 {
	text := r.cell(row, f)
	if text == "" {
		r.badf(line, "%q has no %s, want a whole number from 1 to %d in column %d", label, f, models.MaxDim, r.columns.of[f]+1)
		return 1
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n > models.MaxDim {
		r.badf(line, "%s of %q is %.50q, want a whole number from 1 to %d", f, label, text, models.MaxDim)
		return 1
	}
	return n
}

// optional is extent where a row may have nothing.
func (r *reader) optional(line int, row []string, label string, f field, otherwise int64) int64 {
	if r.cell(row, f) == "" {
		return otherwise
	}
	return r.extent(line, row, label, f)
}

func (r *reader) gemm(line int, row []string, label string) models.Layer {
	if r.options.Batch != 0 && len(r.errs) == 0 {
		r.badf(line, "the file's layers are GEMMs, which have no images that a batch of %d could replace, want it without", r.options.Batch)
	}
	r.batches = r.batches || r.columns.of[batch] >= 0
	return models.Layer{
		M: r.product(line, label, "batch × M", r.optional(line, row, label, batch, 1), r.extent(line, row, label, gemmM)),
		N: r.extent(line, row, label, gemmN), K: r.extent(line, row, label, gemmK),
	}
}

func (r *reader) convolution(line int, row []string, label string) models.Layer {
	before := len(r.errs)
	get := func(f field) int64 { return r.extent(line, row, label, f) }
	c := models.Conv{H: get(height), W: get(width), R: get(filterHeight), S: get(filterWidth), DilationH: 1, DilationW: 1}
	in, out := get(channels), get(filters)
	c.StrideH = get(strideH)
	c.StrideW = r.optional(line, row, label, strideW, c.StrideH)
	images := r.optional(line, row, label, batch, 1)
	r.batches = r.batches || r.columns.of[batch] >= 0
	if r.options.Batch != 0 {
		images = r.options.Batch
	}
	if c.R > c.H {
		r.badf(line, "%s of %q is %d, want at most the image's %d rows (padding included)", filterHeight, label, c.R, c.H)
	}
	if c.S > c.W {
		r.badf(line, "%s of %q is %d, want at most the image's %d columns (padding included)", filterWidth, label, c.S, c.W)
	}
	if len(r.errs) > before {
		return models.Layer{}
	}
	c.P, c.Q = (c.H-c.R)/c.StrideH+1, (c.W-c.S)/c.StrideW+1
	l := models.Layer{
		M: r.product(line, label, "images × outputs of an image", images, c.P, c.Q),
		N: out, K: r.product(line, label, "channels × filter", in, c.R, c.S), Conv: &c,
	}
	r.special(&l, label, in)
	return l
}

// special treats layers that a row does not mean literally, and notes what
// SCALE-Sim does otherwise.
func (r *reader) special(l *models.Layer, label string, in int64) {
	c := l.Conv
	switch {
	case strings.Contains(label, "DP"):
		r.depthwise = append(r.depthwise, label)
		if l.K = c.R * c.S; in > 1 {
			l.Batch = in
		}
	case in == 1 && c.R == 1 && c.S == c.W && c.StrideH == 1:
		l.Conv = nil
		r.products = append(r.products, label)
		return
	}
	if len(r.layers) == 0 && in == 3 {
		l.NoInputGrad = true
	}
	if (c.H-c.R)%c.StrideH != 0 || (c.W-c.S)%c.StrideW != 0 {
		r.roundedUp = append(r.roundedUp, label)
	}
}

// product multiplies extents, reporting a result beyond models.MaxDim.
func (r *reader) product(line int, label, what string, factors ...int64) int64 {
	p := big.NewInt(1)
	for _, x := range factors {
		p.Mul(p, big.NewInt(x))
	}
	if p.Cmp(big.NewInt(models.MaxDim)) > 0 {
		r.badf(line, "%s of %q is %s, want at most %d", what, label, p, models.MaxDim)
		return 1
	}
	return p.Int64()
}
