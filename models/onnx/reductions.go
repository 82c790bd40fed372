package onnx

import "slices"

func reductionOperators(add adder) {
	add(operator{infer: reduce}, "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
		"ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare")
	add(operator{infer: argument}, "ArgMax", "ArgMin")
}

// reduce combines the elements of some axes, of all if none are named.
func reduce(c *call) error {
	x, ok := c.shape(0)
	axes, _, known := c.axes(1)
	keep := c.integer("keepdims", 1) != 0
	switch {
	case !ok:
		c.stop()
		return nil
	case !known:
		c.stop()
		if keep {
			c.set(0, slices.Repeat([]number{c.unknown()}, len(x))...)
		}
		return nil
	case len(axes) == 0 && c.integer("noop_with_empty_axes", 0) != 0:
		return same(c)
	case len(axes) == 0:
		for i := range x {
			axes = append(axes, int64(i))
		}
	}
	shape, err := c.without(x, axes, keep)
	if err != nil {
		return err
	}
	v := c.set(0, shape...)
	if data, ok := c.data(0); ok && len(axes) == len(x) {
		v.data = c.reduced(data, c.in[0].dtype.floating())
	}
	return nil
}

// without returns a shape less some axes, or with ones in their place.
func (c *call) without(x []number, axes []int64, keep bool) ([]number, error) {
	gone := make([]bool, len(x))
	for _, a := range axes {
		i, err := c.axis(a, len(x))
		if err != nil {
			return nil, err
		}
		gone[i] = true
	}
	shape := []number{}
	for i, e := range x {
		switch {
		case !gone[i]:
			shape = append(shape, e)
		case keep:
			shape = append(shape, whole(1))
		}
	}
	return shape, nil
}

// reduced combines all elements of a constant.
func (c *call) reduced(data []number, floating bool) []number {
	name := map[string]string{"ReduceProd": "Mul", "ReduceSum": "Add", "ReduceMax": "Max", "ReduceMin": "Min"}[c.node.op]
	f := arithmetic(name)
	if f == nil || len(data) == 0 {
		return nil
	}
	if w := c.im.joined(data...); w != 0 {
		return []number{unknown(w)}
	}
	return []number{f(data, floating)}
}

// argument finds where along an axis the extreme is.
func argument(c *call) error {
	x, ok := c.shape(0)
	if !ok {
		c.stop()
		return nil
	}
	shape, err := c.without(x, []int64{c.integer("axis", 0)}, c.integer("keepdims", 1) != 0)
	if err != nil {
		return err
	}
	c.put(0, &value{shape: shape, ranked: true, dtype: int64Type})
	return nil
}
