package onnx

import (
	"fmt"

	"github.com/npu-tune/npu-tune/models"
)

// call is one node with its inputs, as an operator sees it.
type call struct {
	im       *importer
	scope    *scope
	node     *node
	operator operator
	in       []*value // nil where an optional input is not given
	out      []*value
	kept     bool // the outputs' constant, origin and trained are set
	trains   bool // the operator has trainable inputs of its own
}

// call prepares a node.
func (im *importer) call(n *node, sc *scope) (*call, error) {
	c := &call{im: im, scope: sc, node: n, out: make([]*value, len(n.outputs))}
	for _, name := range n.inputs {
		var v *value
		if name != "" {
			var ok bool
			if v, ok = sc.find(name); !ok {
				return nil, c.bad("reads %q, which nothing produces", name)
			}
		}
		c.in = append(c.in, v)
	}
	return c, nil
}

// bad returns an error of this node.
func (c *call) bad(format string, args ...any) error {
	return fmt.Errorf("%s: "+format, append([]any{c.node.describe(c.scope)}, args...)...)
}

// here is the cause of what cannot be inferred at this node.
func (c *call) here() cause { return c.im.causes.node(c.node.describe(c.scope)) }

// input returns an input, or nil if it is not given.
func (c *call) input(i int) *value {
	if i < len(c.in) {
		return c.in[i]
	}
	return nil
}

// need returns an input, or an error if it is not given.
func (c *call) need(i int) (*value, error) {
	if v := c.input(i); v != nil {
		return v, nil
	}
	return nil, c.bad("input %d is missing", i)
}

// shape returns an input's shape, false if its rank is not known or it is not
// given.
func (c *call) shape(i int) ([]number, bool) {
	v := c.input(i)
	if v == nil || !v.ranked {
		return nil, false
	}
	return v.shape, true
}

// data returns the elements of a constant input, false if they are not known
// or it is not given.
func (c *call) data(i int) ([]number, bool) {
	v := c.input(i)
	if v == nil || v.data == nil {
		return nil, false
	}
	return v.data, true
}

// set gives an output its shape.
func (c *call) set(i int, shape ...number) *value {
	return c.put(i, &value{shape: shape, ranked: true})
}

// put gives an output a value, with the type of the first input if it has none.
func (c *call) put(i int, v *value) *value {
	if v.dtype == 0 {
		if first := c.input(0); first != nil {
			v.dtype = first.dtype
		}
	}
	if i < len(c.out) {
		c.out[i] = v
	}
	return v
}

// stop gives all outputs an unknown shape, because of what is not known of the
// inputs, or of this node if that explains nothing.
func (c *call) stop() {
	w := c.why()
	if w == 0 {
		w = c.here()
	}
	for i := range c.out {
		c.put(i, &value{why: w})
	}
}

// why joins the causes of all that is not known of the inputs.
func (c *call) why() cause {
	var w cause
	for _, v := range c.in {
		if v != nil {
			w = c.im.causes.join(w, v.why)
			w = c.im.causes.join(w, c.im.joined(v.shape...))
			w = c.im.causes.join(w, c.im.joined(v.data[:min(len(v.data), maxAsked)]...))
		}
	}
	return w
}

// maxAsked is how many elements of a constant are asked why they are not known.
const maxAsked = 64

// unknown returns a dimension that depends on what is not known of the inputs.
func (c *call) unknown() number {
	if w := c.why(); w != 0 {
		return unknown(w)
	}
	return unknown(c.here())
}

// check reports dimensions that no tensor has.
func (c *call) check(v *value) error {
	if len(v.shape) > maxRank {
		return c.bad("its output has %d dimensions, want %d at most", len(v.shape), maxRank)
	}
	for i, e := range v.shape {
		if e.known() && (e.n < 0 || e.n > models.MaxDim) {
			return c.bad("dimension %d of its output is %s, want 0 to %d", i, extent(e.n), models.MaxDim)
		}
	}
	return nil
}

// extent prints an extent that may have been saturated.
func extent(n int64) string {
	if n > maxCount {
		return fmt.Sprintf("beyond %d", maxCount)
	}
	return fmt.Sprint(n)
}

// attribute returns an attribute that is given.
func (c *call) attribute(name string) (attribute, bool) {
	for _, a := range c.node.attributes {
		if a.name == name {
			return c.resolve(a)
		}
	}
	return attribute{}, false
}

// resolve replaces an attribute that stands for one of the function.
func (c *call) resolve(a attribute) (attribute, bool) {
	if a.from == "" {
		return a, true
	}
	given, ok := c.scope.attributes[a.from]
	given.name = a.name
	return given, ok
}

func (c *call) integer(name string, otherwise int64) int64 {
	if a, ok := c.attribute(name); ok {
		return a.integer
	}
	return otherwise
}

func (c *call) integers(name string) ([]int64, bool) {
	a, ok := c.attribute(name)
	return a.integers, ok
}

func (c *call) text(name, otherwise string) string {
	if a, ok := c.attribute(name); ok {
		return a.text
	}
	return otherwise
}

// axis returns a valid axis of a tensor of that rank, counted from the end if
// negative.
func (c *call) axis(a int64, rank int) (int, error) {
	r := int64(rank)
	if a < -r || a >= r {
		return 0, c.bad("axis is %d, want %d to %d", a, -r, r-1)
	}
	if a < 0 {
		a += r
	}
	return int(a), nil
}
