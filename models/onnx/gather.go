package onnx

import (
	"slices"
)

// gather picks entries of an axis; a stored table is an embedding.
func gather(c *call) error {
	data, err := c.need(0)
	if err != nil {
		return err
	}
	indices, err := c.need(1)
	if err != nil {
		return err
	}
	if !indices.constant && data.constant && len(data.shape) > 1 && data.origin.large() {
		c.train(0)
	}
	if !data.ranked || !indices.ranked {
		c.stop()
		return nil
	}
	axis, err := c.axis(c.integer("axis", 0), len(data.shape))
	if err != nil {
		return err
	}
	shape := slices.Concat(data.shape[:axis], indices.shape, data.shape[axis+1:])
	v := c.set(0, shape...)
	v.data = c.gathered(data, indices, shape, axis)
	return nil
}

func (c *call) gathered(data, indices *value, shape []number, axis int) []number {
	to, ok := c.small(shape)
	from, ok2 := extents(data.shape)
	picks, ok3 := extents(indices.shape)
	if !ok || !ok2 || !ok3 || data.data == nil || indices.data == nil {
		return nil
	}
	step, pick := strides(from), strides(picks)
	valid := true
	list := remap(to, func(index []int64) number {
		which := indices.data[flat(index[axis:axis+len(picks)], picks, pick)]
		if !which.known() {
			return unknown(which.why)
		}
		at := which.n
		if at < 0 {
			at += from[axis]
		}
		if at < 0 || at >= from[axis] {
			valid = false
			return number{}
		}
		pos := at * step[axis]
		for i := range from {
			if i < axis {
				pos += index[i] * step[i]
			} else if i > axis {
				pos += index[i+len(picks)-1] * step[i]
			}
		}
		return data.data[pos]
	})
	if !valid {
		return nil
	}
	return list
}

// gatherElements is of its indices' shape.
func gatherElements(c *call) error {
	v := &value{why: c.why()}
	if s, ok := c.shape(1); ok {
		v = &value{shape: s, ranked: true}
	}
	c.put(0, v)
	return nil
}

func gatherND(c *call) error {
	x, ok := c.shape(0)
	indices, ok2 := c.shape(1)
	if !ok || !ok2 || len(indices) == 0 || !indices[len(indices)-1].known() {
		c.stop()
		return nil
	}
	depth := indices[len(indices)-1].n
	batch := c.integer("batch_dims", 0)
	if batch < 0 || depth < 0 || batch+depth > int64(len(x)) || batch >= int64(len(indices)) {
		return c.bad("takes %d dimensions and %d of batch of an input of rank %d", depth, batch, len(x))
	}
	c.set(0, slices.Concat(indices[:len(indices)-1], x[batch+depth:])...)
	return nil
}
