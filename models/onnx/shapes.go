package onnx

func shapeOperators(add adder) {
	add(operator{infer: reshape, moves: true}, "Reshape")
	add(operator{infer: transpose, moves: true}, "Transpose")
	add(operator{infer: flatten, moves: true}, "Flatten")
	add(operator{infer: squeeze, moves: true}, "Squeeze")
	add(operator{infer: unsqueeze, moves: true}, "Unsqueeze")
	add(operator{infer: depthToSpace, moves: true}, "DepthToSpace")
	add(operator{infer: spaceToDepth, moves: true}, "SpaceToDepth")
	add(operator{infer: expand}, "Expand")
	add(operator{infer: tile}, "Tile")
	add(operator{infer: shapeOf}, "Shape")
	add(operator{infer: sizeOf}, "Size")
}

// small returns the dimensions of a constant that may still be computed.
func (c *call) small(shape []number) ([]int64, bool) {
	if c.im.folded > maxElements {
		return nil, false
	}
	return extents(shape)
}

// expand broadcasts its input to a shape.
func expand(c *call) error {
	x, err := c.need(0)
	if err != nil {
		return err
	}
	target, ok := c.data(1)
	if !ok || !x.ranked {
		c.stop()
		return nil
	}
	shape, err := c.stretch(x.shape, target)
	if err != nil {
		return err
	}
	v := c.set(0, shape...)
	c.repeatData(v, x)
	return nil
}

// repeatData fills a broadcast constant.
func (c *call) repeatData(v, x *value) {
	to, ok := c.small(v.shape)
	if !ok || x.data == nil {
		return
	}
	from, _ := extents(x.shape)
	step := strides(from)
	v.data = remap(to, func(index []int64) number { return x.data[flat(index, from, step)] })
}

// tile repeats along axes.
func tile(c *call) error {
	x, ranked := c.shape(0)
	repeats, ok := c.data(1)
	if !ok || !ranked {
		c.stop()
		return nil
	}
	if len(repeats) != len(x) {
		return c.bad("has %d repeats, but the input is of rank %d", len(repeats), len(x))
	}
	shape := make([]number, len(x))
	for i, e := range x {
		if repeats[i].known() && repeats[i].n < 0 {
			return c.bad("repeats axis %d %d times", i, repeats[i].n)
		}
		shape[i] = c.im.product(e, repeats[i])
	}
	v := c.set(0, shape...)
	to, small := c.small(shape)
	data := c.in[0].data
	if !small || data == nil {
		return nil
	}
	from, _ := extents(x)
	step := strides(from)
	v.data = remap(to, func(index []int64) number {
		var at int64
		for i := range index {
			at += index[i] % from[i] * step[i]
		}
		return data[at]
	})
	return nil
}

// shapeOf is a constant though its input is none.
func shapeOf(c *call) error {
	c.kept = true
	x, ok := c.shape(0)
	if !ok {
		c.put(0, &value{shape: []number{c.unknown()}, ranked: true, dtype: int64Type, constant: true})
		return nil
	}
	r := int64(len(x))
	clamp := func(a int64) int64 {
		if a < 0 {
			a += r
		}
		return min(max(a, 0), r)
	}
	start, end := clamp(c.integer("start", 0)), clamp(c.integer("end", r))
	x = x[start:max(start, end)]
	c.put(0, &value{shape: wholes([]int64{int64(len(x))}), ranked: true, dtype: int64Type, data: noNil(x), constant: true})
	return nil
}

// noNil tells a constant without elements from one that is not known.
func noNil(data []number) []number {
	if data == nil {
		return []number{}
	}
	return data
}

func sizeOf(c *call) error {
	c.kept = true
	n := c.unknown()
	if x, ok := c.shape(0); ok {
		n = c.im.product(x...)
	}
	c.put(0, &value{ranked: true, dtype: int64Type, data: []number{n}, constant: true})
	return nil
}

func depthToSpace(c *call) error { return blocks(c, true) }

func spaceToDepth(c *call) error { return blocks(c, false) }

// blocks moves squares of pixels into channels, or back.
func blocks(c *call, toSpace bool) error {
	x, ok := c.shape(0)
	b := c.integer("blocksize", 0)
	if b < 1 || b > 1<<15 {
		return c.bad("blocksize is %d, want 1 or more", b)
	}
	if !ok {
		c.stop()
		return nil
	}
	if len(x) != 4 {
		return c.bad("its input is of rank %d, want 4", len(x))
	}
	times := func(e number, f int64) number { return c.im.product(e, whole(f)) }
	over := func(e number, f int64) number { return c.im.combine(e, whole(f), quotient) }
	if toSpace {
		c.set(0, x[0], over(x[1], b*b), times(x[2], b), times(x[3], b))
	} else {
		c.set(0, x[0], times(x[1], b*b), over(x[2], b), over(x[3], b))
	}
	return nil
}
