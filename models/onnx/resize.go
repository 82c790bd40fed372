package onnx

import (
	"math"
	"slices"
)

// resize stretches a tensor by scales, or to sizes, of some axes.
func resize(c *call) error {
	x, ok := c.shape(0)
	if !ok {
		c.stop()
		return nil
	}
	scales, scaled := c.scales()
	sizes, sized := c.data(3)
	axes, given := c.integers("axes")
	if !given {
		for i := range x {
			axes = append(axes, int64(i))
		}
	}
	shape := slices.Clone(x)
	for i, a := range axes {
		axis, err := c.axis(a, len(x))
		if err != nil {
			return err
		}
		switch {
		case sized && len(sizes) == len(axes):
			shape[axis] = sizes[i]
		case scaled && len(scales) == len(axes):
			if shape[axis], err = c.stretched(x[axis], scales[i]); err != nil {
				return err
			}
		case sized || scaled:
			return c.bad("has %d sizes or scales for %d axes", max(len(sizes), len(scales)), len(axes))
		default:
			shape[axis] = c.unknown()
		}
	}
	if p := c.text("keep_aspect_ratio_policy", "stretch"); p != "stretch" && sized {
		return c.keepAspect(x, shape, axes, p == "not_larger")
	}
	c.set(0, shape...)
	return nil
}

// scales returns the factors of all axes; their input moved over the years.
func (c *call) scales() ([]number, bool) {
	if a, ok := c.attribute("scales"); ok && len(a.floats) > 0 {
		list := make([]number, len(a.floats))
		for i, f := range a.floats {
			list[i] = float(f)
		}
		return list, true
	}
	at := 2
	if c.node.op == "Upsample" || len(c.in) == 2 {
		at = 1
	}
	data, ok := c.data(at)
	return data, ok && len(data) > 0
}

func (c *call) stretched(e, scale number) (number, error) {
	if w := c.im.joined(e, scale); w != 0 {
		return unknown(w), nil
	}
	if !(scale.f > 0) || math.IsInf(scale.f, 0) {
		return e, c.bad("scales by %g, want a positive number", scale.f)
	}
	return whole(toInt64(math.Floor(float64(e.n) * scale.f))), nil
}

// keepAspect scales the axes by one factor, so that none is larger, or none
// smaller, than its size.
func (c *call) keepAspect(x, shape []number, axes []int64, smallest bool) error {
	factor := math.Inf(1)
	if !smallest {
		factor = 0
	}
	for _, a := range axes {
		i, err := c.axis(a, len(x))
		if err != nil {
			return err
		}
		if c.im.joined(x[i], shape[i]) != 0 || x[i].n == 0 {
			c.set(0, slices.Repeat([]number{c.unknown()}, len(x))...)
			return nil
		}
		f := float64(shape[i].n) / float64(x[i].n)
		if smallest {
			factor = min(factor, f)
		} else {
			factor = max(factor, f)
		}
	}
	for _, a := range axes {
		i, _ := c.axis(a, len(x))
		shape[i] = whole(toInt64(math.Floor(float64(x[i].n)*factor + 0.5)))
	}
	c.set(0, shape...)
	return nil
}
