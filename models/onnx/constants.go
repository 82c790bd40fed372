package onnx

import (
	"math"
	"slices"
)

func constantOperators(add adder) {
	add(operator{infer: constant}, "Constant")
	add(operator{infer: constantOfShape}, "ConstantOfShape", "ConstantFill")
	add(operator{infer: sequence}, "Range")
	add(operator{infer: drawn}, "RandomNormal", "RandomUniform")
	add(operator{infer: eye}, "EyeLike")
	add(operator{infer: drawnOfInput}, "Multinomial")
	add(operator{infer: taper}, "HannWindow", "HammingWindow", "BlackmanWindow")
}

// constant is a tensor that the node holds.
func constant(c *call) error {
	c.kept = true
	for _, a := range c.node.attributes {
		a, ok := c.resolve(a)
		if !ok {
			continue
		}
		v := &value{constant: true, ranked: true}
		switch a.name {
		case "value", "sparse_value":
			if a.tensor == nil {
				return c.bad("its value is no tensor")
			}
			v = c.im.initializer(a.tensor)
			v.origin.stored = false
		case "value_int":
			v.dtype, v.data = int64Type, []number{whole(a.integer)}
		case "value_float":
			v.dtype, v.data = float32Type, []number{float(a.float)}
		case "value_ints":
			v.dtype, v.shape = int64Type, wholes([]int64{int64(len(a.integers))})
			if len(a.integers) <= maxFolded {
				v.data = wholes(a.integers)
			}
		case "value_floats":
			v.dtype = float32Type
			v.shape = []number{unknown(c.here())}
			if len(a.floats) <= maxFloats {
				v.shape = wholes([]int64{int64(len(a.floats))})
			}
		case "value_string":
			v.dtype = stringType
		case "value_strings":
			v.dtype, v.shape = stringType, []number{unknown(c.here())}
		default:
			continue
		}
		c.put(0, v)
		return nil
	}
	return c.bad("has no value")
}

// constantOfShape fills a shape with one value. A filled tensor of floats stands
// for weights whose values were taken out of the file.
func constantOfShape(c *call) error {
	c.kept = true
	shape, ok := c.data(0)
	if list, has := c.integers("shape"); has {
		shape, ok = wholes(list), true
	}
	v := &value{why: c.why(), dtype: float32Type, constant: true}
	fill := number{}
	if a, has := c.attribute("value"); has && a.tensor != nil {
		v.dtype = a.tensor.dtype
		if len(a.tensor.data) == 1 {
			fill = a.tensor.data[0]
		}
	}
	if v.why == 0 {
		v.why = c.here()
	}
	if ok {
		v.shape, v.ranked = shape, true
		if e, ok := c.small(shape); ok && !v.dtype.floating() {
			v.data = remap(e, func([]int64) number { return fill })
		}
		v.origin = &origin{elements: c.im.elements(v), dtype: v.dtype, stored: c.input(0) != nil && c.in[0].origin != nil && c.in[0].origin.stored}
	} else if s, ranked := c.shape(0); ranked && len(s) == 1 && s[0].known() && s[0].n <= maxRank {
		v.shape, v.ranked = slices.Repeat([]number{unknown(v.why)}, int(s[0].n)), true
	}
	c.put(0, v)
	return nil
}

// sequence counts from start to limit in steps of delta.
func sequence(c *call) error {
	var args [3]number
	for i := range args {
		d, ok := c.data(i)
		if !ok || len(d) != 1 {
			c.set(0, c.unknown())
			return nil
		}
		args[i] = d[0]
	}
	if w := c.im.joined(args[:]...); w != 0 {
		c.set(0, unknown(w))
		return nil
	}
	start, limit, delta := args[0], args[1], args[2]
	if c.in[0].dtype.floating() {
		n := math.Ceil((limit.f - start.f) / delta.f)
		c.set(0, whole(max(toInt64(n), 0)))
		return nil
	}
	if delta.n == 0 {
		return c.bad("counts in steps of 0")
	}
	n := toInt64(math.Ceil((float64(limit.n) - float64(start.n)) / float64(delta.n)))
	v := c.set(0, whole(max(n, 0)))
	if e, ok := c.small(v.shape); ok {
		v.data = remap(e, func(index []int64) number { return whole(start.n + index[0]*delta.n) })
	}
	return nil
}

// drawn is random numbers of a shape.
func drawn(c *call) error {
	c.kept = true
	shape, ok := c.integers("shape")
	if !ok {
		return c.bad("has no shape")
	}
	c.put(0, &value{shape: wholes(shape), ranked: true, dtype: dtype(c.integer("dtype", 1))})
	return nil
}

func eye(c *call) error {
	if err := same(c); err != nil {
		return err
	}
	if t := c.integer("dtype", 0); t != 0 && len(c.out) > 0 {
		c.out[0].dtype = dtype(t)
	}
	return nil
}

func drawnOfInput(c *call) error {
	x, ok := c.shape(0)
	if !ok || len(x) != 2 {
		c.stop()
		return nil
	}
	c.put(0, &value{shape: []number{x[0], whole(c.integer("sample_size", 1))}, ranked: true, dtype: dtype(c.integer("dtype", 6))})
	return nil
}

// taper is a window function of so many elements.
func taper(c *call) error {
	n := c.unknown()
	if d, ok := c.data(0); ok && len(d) == 1 {
		n = d[0]
	}
	c.put(0, &value{shape: []number{n}, ranked: true, dtype: dtype(c.integer("output_datatype", 1))})
	return nil
}
