package onnx

// transpose permutes axes; without perm it reverses them.
func transpose(c *call) error {
	x, err := c.need(0)
	if err != nil {
		return err
	}
	perm, given := c.integers("perm")
	if !x.ranked && !given {
		c.stop()
		return nil
	}
	if !given {
		for i := range x.shape {
			perm = append(perm, int64(len(x.shape)-1-i))
		}
	}
	if x.ranked && len(perm) != len(x.shape) {
		return c.bad("perm has %d axes, but the input is of rank %d", len(perm), len(x.shape))
	}
	shape := make([]number, len(perm))
	used := make([]bool, len(perm))
	for i, p := range perm {
		if p < 0 || p >= int64(len(perm)) || used[p] {
			return c.bad("perm %v is no permutation", perm)
		}
		used[p] = true
		shape[i] = unknown(x.why)
		if x.ranked {
			shape[i] = x.shape[p]
		}
	}
	v := c.set(0, shape...)
	v.data = c.transposed(x, shape, perm)
	return nil
}

func (c *call) transposed(x *value, shape []number, perm []int64) []number {
	to, ok := c.small(shape)
	if !ok || x.data == nil {
		return nil
	}
	from, _ := extents(x.shape)
	step := strides(from)
	return remap(to, func(index []int64) number {
		var at int64
		for i, p := range perm {
			at += index[i] * step[p]
		}
		return x.data[at]
	})
}

// flatten makes a matrix: the axes before axis, and the others.
func flatten(c *call) error {
	x, ok := c.shape(0)
	if !ok {
		w := c.unknown()
		c.set(0, w, w)
		return nil
	}
	axis := c.integer("axis", 1)
	if axis < -int64(len(x)) || axis > int64(len(x)) {
		return c.bad("axis is %d, but the input is of rank %d", axis, len(x))
	}
	if axis < 0 {
		axis += int64(len(x))
	}
	v := c.set(0, c.im.product(x[:axis]...), c.im.product(x[axis:]...))
	v.data = c.in[0].data
	return nil
}

// axes returns the axes that an attribute or an input names; false if they are
// not known.
func (c *call) axes(input int) (axes []int64, given, ok bool) {
	if list, has := c.integers("axes"); has {
		return list, true, true
	}
	if c.input(input) == nil {
		return nil, false, true
	}
	data, has := c.data(input)
	if !has {
		return nil, true, false
	}
	axes, ok = knowns(data)
	return axes, true, ok
}

// knowns returns numbers as integers, if all are known.
func knowns(data []number) ([]int64, bool) {
	list := make([]int64, len(data))
	for i, a := range data {
		if !a.known() {
			return nil, false
		}
		list[i] = a.n
	}
	return list, true
}

// squeeze drops axes of one element; all of them if none are named.
func squeeze(c *call) error {
	axes, given, ok := c.axes(1)
	x, ranked := c.shape(0)
	if !ok || !ranked {
		c.stop()
		return nil
	}
	drop := make([]bool, len(x))
	for _, a := range axes {
		i, err := c.axis(a, len(x))
		if err != nil {
			return err
		}
		if x[i].known() && x[i].n != 1 {
			return c.bad("axis %d has %d elements, want 1 to be dropped", i, x[i].n)
		}
		drop[i] = true
	}
	shape := []number{}
	for i, e := range x {
		if !given && !e.known() {
			c.stop()
			return nil
		}
		if !drop[i] && (given || !e.is(1)) {
			shape = append(shape, e)
		}
	}
	c.set(0, shape...).data = c.in[0].data
	return nil
}

// unsqueeze inserts axes of one element.
func unsqueeze(c *call) error {
	axes, given, ok := c.axes(1)
	x, ranked := c.shape(0)
	if !given {
		return c.bad("has no axes")
	}
	if !ok || !ranked {
		c.stop()
		return nil
	}
	rank := len(x) + len(axes)
	if rank > maxRank {
		return c.bad("makes %d dimensions, want %d at most", rank, maxRank)
	}
	inserted := make([]bool, rank)
	for _, a := range axes {
		i, err := c.axis(a, rank)
		if err != nil {
			return err
		}
		if inserted[i] {
			return c.bad("axis %d is inserted twice", i)
		}
		inserted[i] = true
	}
	var shape []number
	for i := range rank {
		if inserted[i] {
			shape = append(shape, whole(1))
			continue
		}
		shape = append(shape, x[0])
		x = x[1:]
	}
	c.set(0, shape...).data = c.in[0].data
	return nil
}
