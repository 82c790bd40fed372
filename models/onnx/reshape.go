package onnx

import "slices"

// reshapeKey names one Reshape of one call.
type reshapeKey struct {
	path string
	node *node
}

// reshaped is what a Reshape did with the file's own batch.
type reshaped struct {
	from, target, to []int64
}

// reshape gives its input's elements another shape: 0 keeps a dimension, one
// -1 is what is left.
func reshape(c *call) error {
	target, ok := c.data(1)
	if list, has := c.integers("shape"); has { // before opset 5
		target, ok = wholes(list), true
	}
	if !ok {
		c.stop()
		if s, has := c.shape(1); has && len(s) == 1 && s[0].known() && s[0].n <= maxRank {
			c.set(0, slices.Repeat([]number{c.unknown()}, int(s[0].n))...)
		}
		return nil
	}
	if len(target) > maxRank {
		return c.bad("makes %d dimensions, want %d at most", len(target), maxRank)
	}
	x, err := c.need(0)
	if err != nil {
		return err
	}
	shape, err := c.meant(x, target)
	if err != nil {
		return err
	}
	c.set(0, shape...).data = x.data
	return nil
}

// meant returns the shape that a Reshape makes of x.
func (c *call) meant(x *value, target []number) ([]number, error) {
	key := reshapeKey{c.scope.path, c.node}
	if old, ok := c.im.before[key]; ok {
		if shape, ok := c.rebatch(old, x, target); ok {
			return shape, nil
		}
	}
	shape, err := c.filled(x, target)
	if err == nil && c.im.reshapes != nil {
		c.im.record(key, x.shape, target, shape)
	}
	return shape, err
}

// filled replaces the 0 and -1 of a target shape.
func (c *call) filled(x *value, target []number) ([]number, error) {
	shape := slices.Clone(target)
	left := -1
	for i, e := range target {
		switch {
		case e.is(0) && c.integer("allowzero", 0) == 0:
			if !x.ranked {
				shape[i] = c.unknown()
			} else if i >= len(x.shape) {
				return nil, c.bad("target %s keeps dimension %d of an input of rank %d", targeted(target), i, len(x.shape))
			} else {
				shape[i] = x.shape[i]
			}
		case e.is(-1):
			if left >= 0 {
				return nil, c.bad("target %s has two dimensions of -1", targeted(target))
			}
			left = i
		case e.known() && e.n < 0:
			return nil, c.bad("target %s has a negative dimension", targeted(target))
		}
	}
	if !x.ranked {
		if left >= 0 {
			shape[left] = c.unknown()
		}
		return shape, nil
	}
	return shape, c.balance(x.shape, shape, left, target)
}

// balance sets the dimension that is left, and reports a target of another size
// than the input. Dimensions that are not known but are on both sides cancel.
func (c *call) balance(from, shape []number, left int, target []number) error {
	have, want := slices.Clone(from), slices.Clone(shape)
	if left >= 0 {
		want = slices.Delete(want, left, left+1)
	}
	for i := 0; i < len(want); i++ {
		if at := slices.IndexFunc(have, want[i].equals); !want[i].known() && at >= 0 {
			have, want = slices.Delete(have, at, at+1), slices.Delete(want, i, i+1)
			i--
		}
	}
	n, m := c.im.product(have...), c.im.product(want...)
	switch {
	case left < 0 && n.known() && m.known() && n.n != m.n,
		left >= 0 && n.known() && m.known() && m.n > 0 && n.n%m.n != 0:
		return c.bad("cannot make %s of an input of shape %s", targeted(target), printed(from))
	case left < 0:
		return nil
	case m.is(0) && n.is(0):
		shape[left] = whole(0)
	case m.is(0):
		return c.bad("cannot make %s of an input of shape %s", targeted(target), printed(from))
	default:
		shape[left] = c.im.combine(n, m, quotient)
	}
	return nil
}

// targeted prints a target shape, which may hold -1.
func targeted(target []number) string { return printed(target) }

func (im *importer) record(key reshapeKey, from, target, to []number) {
	var r reshaped
	var ok [3]bool
	r.from, ok[0] = knowns(from)
	r.target, ok[1] = knowns(target)
	r.to, ok[2] = knowns(to)
	if ok[0] && ok[1] && ok[2] {
		im.reshapes[key] = r
	}
}
