package onnx

import (
	"math"
	"slices"

	"github.com/npu-tune/npu-tune/models"
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

// slicing is what Slice does to an axis.
type slicing struct{ start, end, step number }

// slice takes every step-th element from start to end of some axes.
func slice(c *call) error {
	x, ok := c.shape(0)
	if !ok {
		c.stop()
		return nil
	}
	cuts, known, err := c.slicings(len(x))
	if err != nil {
		return err
	}
	shape := slices.Clone(x)
	if !known {
		for i := range shape {
			shape[i] = c.unknown()
		}
		c.set(0, shape...)
		return nil
	}
	starts := map[int]slicing{}
	for axis, cut := range cuts {
		if cut.step.is(0) {
			return c.bad("the step along axis %d is 0", axis)
		}
		var first number
		first, shape[axis] = c.sliced(x[axis], cut)
		starts[axis] = slicing{start: first, step: cut.step}
	}
	c.set(0, shape...).data = c.cut(shape, func(index []int64) {
		for axis, s := range starts {
			index[axis] = s.start.n + index[axis]*s.step.n
		}
	})
	return nil
}

// slicings returns what is done to which axis; false if it is not known which.
func (c *call) slicings(rank int) (map[int]slicing, bool, error) {
	starts, ok := c.data(1)
	ends, ok2 := c.data(2)
	if list, has := c.integers("starts"); has { // before opset 10
		starts, ok = wholes(list), true
		list, ok2 = c.integers("ends")
		ends = wholes(list)
	}
	axes, given, ok3 := c.axes(3)
	steps, ok4 := c.data(4)
	if !ok || !ok2 || !ok3 || c.input(4) != nil && !ok4 {
		return nil, false, nil
	}
	if len(ends) != len(starts) || given && len(axes) != len(starts) || c.input(4) != nil && len(steps) != len(starts) {
		return nil, false, c.bad("has %d starts, but %d ends, %d axes and %d steps", len(starts), len(ends), len(axes), len(steps))
	}
	cuts := map[int]slicing{}
	for i := range starts {
		a := int64(i)
		if given {
			a = axes[i]
		}
		axis, err := c.axis(a, rank)
		if err != nil {
			return nil, false, err
		}
		cut := slicing{starts[i], ends[i], whole(1)}
		if len(steps) > 0 {
			cut.step = steps[i]
		}
		cuts[axis] = cut
	}
	return cuts, true, nil
}

// sliced returns the first index that a slice takes of an axis and how many it
// takes.
func (c *call) sliced(e number, s slicing) (first, count number) {
	if s.start.is(0) && s.step.is(1) && s.end.known() && (s.end.n >= models.MaxDim || e.known() && s.end.n >= e.n) {
		return whole(0), e
	}
	if w := c.im.joined(e, s.start, s.end, s.step); w != 0 {
		if s.start.is(0) && s.step.is(1) && s.end.equals(e) {
			return whole(0), e
		}
		return unknown(w), unknown(w)
	}
	low, high := int64(0), e.n
	if s.step.n < 0 {
		low, high = -1, e.n-1
	}
	clamp := func(a int64) int64 {
		if a < 0 {
			a += e.n
		}
		return min(max(a, low), high)
	}
	start, end := clamp(s.start.n), clamp(s.end.n)
	span := end - start
	step := s.step.n
	if step < 0 {
		span, step = -span, -max(step, -math.MaxInt64)
	}
	return whole(start), whole(max(span/step+min(span%step, 1), 0))
}

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
