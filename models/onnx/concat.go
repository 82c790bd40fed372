package onnx

import (
	"slices"
)

// concat joins tensors along an axis.
func concat(c *call) error {
	if len(c.in) == 0 {
		return c.bad("has no inputs")
	}
	x, err := c.need(0)
	if err != nil {
		return err
	}
	for i, v := range c.in {
		if v == nil {
			return c.bad("input %d is missing", i)
		}
		if !v.ranked {
			c.stop()
			return nil
		}
	}
	axis, err := c.axis(c.integer("axis", 1), len(x.shape))
	if err != nil {
		return err
	}
	shape := slices.Clone(x.shape)
	for i, v := range c.in[1:] {
		if len(v.shape) != len(shape) {
			return c.bad("input 0 is of rank %d, but input %d of rank %d", len(shape), i+1, len(v.shape))
		}
		for a, e := range v.shape {
			if a == axis {
				shape[a] = c.im.add(shape[a], e)
			} else if shape[a], err = c.agree(shape[a], e, a, i+1); err != nil {
				return err
			}
		}
	}
	for i, v := range c.in {
		if v.constant && v.origin.large() && !c.constants() {
			c.train(i)
		}
	}
	v := c.set(0, shape...)
	v.data = c.joinedData(shape, axis)
	return nil
}

// constants reports whether all inputs are.
func (c *call) constants() bool {
	for _, v := range c.in {
		if v != nil && !v.constant {
			return false
		}
	}
	return true
}

// agree returns a dimension that two inputs of a Concat share. A constant that
// was stretched to the file's own batch is stretched to the new one.
func (c *call) agree(a, b number, axis, input int) (number, error) {
	switch {
	case a.equals(b) || !b.known():
		return a, nil
	case !a.known():
		return b, nil
	case c.im.rebatched() && axis == 0 && (a.n == c.im.wasBatch || b.n == c.im.wasBatch):
		return whole(max(a.n, b.n)), nil
	}
	return a, c.bad("dimension %d of input 0 is %s, but %s of input %d", axis, extent(a.n), extent(b.n), input)
}

func (c *call) joinedData(shape []number, axis int) []number {
	to, ok := c.small(shape)
	if !ok {
		return nil
	}
	var from, step [][]int64
	var data [][]number
	for _, v := range c.in {
		e, ok := extents(v.shape)
		if !ok || v.data == nil {
			return nil
		}
		if len(v.data) > 0 {
			from, step, data = append(from, e), append(step, strides(e)), append(data, v.data)
		}
	}
	return remap(to, func(index []int64) number {
		at, k := index[axis], 0
		for at >= from[k][axis] {
			at -= from[k][axis]
			k++
		}
		pos := at * step[k][axis]
		for i := range index {
			if i != axis {
				pos += index[i] * step[k][i]
			}
		}
		return data[k][pos]
	})
}

// split cuts a tensor along an axis, into given or equal pieces.
func split(c *call) error {
	x, ok := c.shape(0)
	if !ok {
		c.stop()
		return nil
	}
	axis, err := c.axis(c.integer("axis", 0), len(x))
	if err != nil {
		return err
	}
	sizes, given := c.data(1)
	if list, has := c.integers("split"); has {
		sizes, given = wholes(list), true
	}
	if given && len(sizes) != len(c.out) {
		return c.bad("has %d pieces, but %d outputs", len(sizes), len(c.out))
	}
	if n := int64(len(c.out)); !given && n > 0 {
		piece := c.im.combine(x[axis], whole(n), func(e, n int64) int64 { return (e + n - 1) / n })
		if c.input(1) != nil {
			piece = c.unknown()
		}
		sizes = slices.Repeat([]number{piece}, len(c.out))
		if piece.known() {
			sizes[n-1] = whole(max(x[axis].n-piece.n*(n-1), 0))
		}
	}
	start := whole(0)
	for i, e := range sizes {
		shape := slices.Clone(x)
		shape[axis] = e
		v := c.set(i, shape...)
		if start.known() {
			v.data = c.cut(shape, func(index []int64) { index[axis] += start.n })
		}
		start = c.im.add(start, e)
	}
	return nil
}

// cut fills a piece of the constant first input; at turns an index of the piece
// into one of the input.
func (c *call) cut(shape []number, at func(index []int64)) []number {
	x := c.in[0]
	to, ok := c.small(shape)
	from, ok2 := extents(x.shape)
	if !ok || !ok2 || x.data == nil {
		return nil
	}
	step := strides(from)
	valid := true
	data := remap(to, func(index []int64) number {
		own := slices.Clone(index)
		at(own)
		var pos int64
		for i, e := range own {
			if e < 0 || e >= from[i] {
				valid = false
				return number{}
			}
			pos += e * step[i]
		}
		return x.data[pos]
	})
	if !valid {
		return nil
	}
	return data
}
