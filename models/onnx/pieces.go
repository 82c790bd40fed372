package onnx

import (
	"slices"
)

func pieceOperators(add adder) {
	add(operator{infer: concat}, "Concat")
	add(operator{infer: split}, "Split")
	add(operator{infer: slice}, "Slice")
	add(operator{infer: gather}, "Gather")
	add(operator{infer: gatherElements}, "GatherElements")
	add(operator{infer: gatherND}, "GatherND")
	add(operator{infer: pad}, "Pad")
	add(operator{infer: resize}, "Resize", "Upsample")
	add(operator{infer: oneHot}, "OneHot")
	add(operator{infer: topK}, "TopK")
	add(operator{infer: nonZero}, "NonZero")
	add(operator{infer: suppression}, "NonMaxSuppression")
	add(operator{infer: gridSample}, "GridSample")
	add(operator{infer: compress}, "Compress")
	add(operator{infer: nil}, "Unique", "AffineGrid", "CenterCropPad", "MaxUnpool", "Col2Im", "DFT", "STFT", "Det",
		"Optional", "OptionalGetElement", "OptionalHasElement", "SequenceAt", "SequenceConstruct", "SequenceEmpty",
		"SequenceErase", "SequenceInsert", "SequenceLength", "SequenceMap", "SplitToSequence", "ConcatFromSequence",
		"StringConcat", "StringNormalizer", "StringSplit", "RegexFullMatch", "TfIdfVectorizer", "ImageDecoder",
		"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss", "MelWeightMatrix")
}

// pad adds elements around, or takes them away where the figure is negative.
func pad(c *call) error {
	x, ok := c.shape(0)
	if !ok {
		c.stop()
		return nil
	}
	pads, known := c.data(1)
	for _, name := range []string{"pads", "paddings"} {
		if list, has := c.integers(name); has {
			pads, known = wholes(list), true
		}
	}
	axes, given, ok := c.axes(3)
	shape := slices.Clone(x)
	if !known || !ok {
		for i := range shape {
			shape[i] = c.unknown()
		}
		c.set(0, shape...)
		return nil
	}
	if !given {
		for i := range x {
			axes = append(axes, int64(i))
		}
	}
	if len(pads) != 2*len(axes) {
		return c.bad("has %d pads, want two for each of %d axes", len(pads), len(axes))
	}
	for i, a := range axes {
		axis, err := c.axis(a, len(x))
		if err != nil {
			return err
		}
		shape[axis] = c.im.add(shape[axis], c.im.add(pads[i], pads[i+len(axes)]))
	}
	c.set(0, shape...)
	return nil
}

// oneHot adds an axis.
func oneHot(c *call) error {
	x, ok := c.shape(0)
	if !ok {
		c.stop()
		return nil
	}
	depth := c.unknown()
	if d, ok := c.data(1); ok && len(d) == 1 {
		depth = d[0]
		if c.in[1].dtype.floating() && depth.known() {
			depth = whole(toInt64(depth.f))
		}
	}
	axis, err := c.axis(c.integer("axis", -1), len(x)+1)
	if err != nil {
		return err
	}
	v := c.set(0, slices.Insert(slices.Clone(x), axis, depth)...)
	if values := c.input(2); values != nil {
		v.dtype = values.dtype
	}
	return nil
}

// topK keeps some elements of an axis; the second output is where they were.
func topK(c *call) error {
	x, ok := c.shape(0)
	if !ok {
		c.stop()
		return nil
	}
	axis, err := c.axis(c.integer("axis", -1), len(x))
	if err != nil {
		return err
	}
	k := c.unknown()
	if d, ok := c.data(1); ok && len(d) == 1 {
		k = d[0]
	} else if n := c.integer("k", -1); n >= 0 {
		k = whole(n)
	}
	shape := slices.Clone(x)
	shape[axis] = k
	c.set(0, shape...)
	c.put(1, &value{shape: shape, ranked: true, dtype: int64Type})
	return nil
}

// nonZero makes as many columns as there are elements that are not 0.
func nonZero(c *call) error {
	x, ok := c.shape(0)
	if !ok {
		c.stop()
		return nil
	}
	count := unknown(c.here())
	data, known := c.data(0)
	from, ok := extents(x)
	if !known || !ok || len(x) != 1 || c.im.joined(data...) != 0 {
		c.put(0, &value{shape: []number{whole(int64(len(x))), count}, ranked: true, dtype: int64Type})
		return nil
	}
	list := []number{}
	for i := range from[0] {
		if data[i].n != 0 || data[i].f != 0 {
			list = append(list, whole(i))
		}
	}
	c.put(0, &value{shape: wholes([]int64{1, int64(len(list))}), ranked: true, dtype: int64Type, data: list})
	return nil
}

// suppression selects boxes, nobody knows how many.
func suppression(c *call) error {
	c.put(0, &value{shape: []number{unknown(c.here()), whole(3)}, ranked: true, dtype: int64Type})
	return nil
}

// gridSample has its grid's positions and its input's channels.
func gridSample(c *call) error {
	x, ok := c.shape(0)
	grid, ok2 := c.shape(1)
	if !ok || !ok2 {
		c.stop()
		return nil
	}
	if len(x) < 3 || len(grid) != len(x) {
		return c.bad("input is of rank %d and the grid of rank %d", len(x), len(grid))
	}
	c.set(0, slices.Concat(x[:2], grid[1:len(grid)-1])...)
	return nil
}

// compress keeps some entries of an axis.
func compress(c *call) error {
	x, ok := c.shape(0)
	if !ok {
		c.stop()
		return nil
	}
	count := unknown(c.here())
	if _, has := c.attribute("axis"); !has {
		c.set(0, count)
		return nil
	}
	axis, err := c.axis(c.integer("axis", 0), len(x))
	if err != nil {
		return err
	}
	shape := slices.Clone(x)
	shape[axis] = count
	c.set(0, shape...)
	return nil
}
