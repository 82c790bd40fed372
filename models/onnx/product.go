package onnx

import (
	"fmt"

	"github.com/npu-tune/npu-tune/models"
)

// product is a GEMM that a node holds: Y[m,n] = x[m,k]·w[k,n], batch times.
type product struct {
	part           string // of the node, if it holds several
	m, n, k, batch number
	x, w           *value
	window         *models.Conv
	times          number // occurrences; the zero value stands for one
}

// emit adds a product as a layer, or to what has no known shape.
func (c *call) emit(p product) error {
	name := c.node.label(c.scope)
	if p.part != "" {
		name += "." + p.part
	}
	if p.times == (number{}) {
		p.times = whole(1)
	}
	c.trains = c.trains || p.w.constant || p.x.constant && p.x.origin != nil
	if w := c.im.joined(p.m, p.n, p.k, p.batch, p.times); w != 0 {
		c.shapeless(w)
		return nil
	}
	for _, e := range []struct {
		what  string
		value int64
	}{{"rows (M)", p.m.n}, {"columns (N)", p.n.n}, {"a reduction (K)", p.k.n}, {"a batch", p.batch.n}, {"occurrences", p.times.n}} {
		switch {
		case e.value < 0 || e.value > models.MaxDim:
			return c.bad("its GEMM has %s of %s, want 1 to %d", e.what, extent(e.value), models.MaxDim)
		case e.value == 0:
			c.im.leftOut = append(c.im.leftOut, LeftOut{name, c.node.op, fmt.Sprintf("its GEMM is empty: %s of 0", e.what)})
			return nil
		}
	}
	l := layer{Name: name, M: p.m.n, N: p.n.n, K: p.k.n, Conv: p.window, NoInputGrad: !p.x.trained && !fixedPart(p.x)}
	if p.batch.n > 1 {
		l.Batch = p.batch.n
	}
	g := gemm{layer: l, times: p.times.n, weight: p.w.origin}
	if !p.w.constant {
		g.weight, g.Activations = nil, true
		// Of a fragment without weights both gradients are wanted.
		g.NoInputGrad = g.NoInputGrad && p.w.trained
	} else if g.weight == nil {
		g.weight = &origin{elements: l.Parameters(), dtype: p.w.dtype, stored: true}
	}
	c.im.gemms = append(c.im.gemms, g)
	return nil
}

// fixedPart reports whether an operand is weights itself, so that its gradient
// is needed.
func fixedPart(v *value) bool { return v.constant && v.origin != nil }

// shapeless notes that this node's GEMM has no known shape.
func (c *call) shapeless(w cause) {
	if w == 0 {
		w = c.here()
	}
	c.im.tally.unsized = append(c.im.tally.unsized, unsized{c.node.describe(c.scope), w})
}

// blind handles a node with a GEMM of whose operands the rank is not known.
func (c *call) blind() error {
	c.shapeless(c.why())
	for _, v := range c.in {
		c.trains = c.trains || v != nil && v.constant
	}
	c.stop()
	return nil
}
