package onnx

import (
	"math"
	"slices"

	"github.com/npu-tune/npu-tune/models"
)

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
