package onnx

import "math"

// fold computes an element-wise operator on constants; nil if an input is none
// or the operator is not one that shapes are computed with.
func (c *call) fold(v *value, inputs []*value) []number {
	f := arithmetic(c.node.op)
	shape, ok := extents(v.shape)
	if f == nil || !ok || len(inputs) == 0 || len(inputs) > maxFolded {
		return nil
	}
	shapes, steps := make([][]int64, len(inputs)), make([][]int64, len(inputs))
	for i, in := range inputs {
		if in.data == nil {
			return nil
		}
		if shapes[i], ok = extents(in.shape); !ok {
			return nil
		}
		steps[i] = strides(shapes[i])
	}
	if c.im.folded += int64(len(shape)); c.im.folded > maxElements {
		return nil
	}
	floating := inputs[len(inputs)-1].dtype.floating()
	args := make([]number, len(inputs))
	return remap(shape, func(index []int64) number {
		var w cause
		for i, in := range inputs {
			args[i] = in.data[flat(index, shapes[i], steps[i])]
			w = c.im.causes.join(w, args[i].why)
		}
		if w != 0 {
			return c.im.partly(c.node.op, args, w)
		}
		return f(args, floating)
	})
}

// partly returns what is known of a result though an argument is not.
func (im *importer) partly(op string, args []number, w cause) number {
	if op == "Where" && args[0].known() {
		if args[0].n != 0 {
			return args[1]
		}
		return args[2]
	}
	return unknown(w)
}

// arithmetic returns what an operator does with the elements of constants; nil
// if it is not computed. The second argument says that they are floating-point.
func arithmetic(op string) func(a []number, floating bool) number {
	switch op {
	case "Add", "Sum":
		return pairwise(func(x, y int64) int64 { return x + y }, func(x, y float64) float64 { return x + y })
	case "Sub":
		return pairwise(func(x, y int64) int64 { return x - y }, func(x, y float64) float64 { return x - y })
	case "Mul":
		return pairwise(func(x, y int64) int64 { return x * y }, func(x, y float64) float64 { return x * y })
	case "Max":
		return pairwise(func(x, y int64) int64 { return max(x, y) }, math.Max)
	case "Min":
		return pairwise(func(x, y int64) int64 { return min(x, y) }, math.Min)
	case "Div":
		return pairwise(quotient, func(x, y float64) float64 { return x / y })
	case "Mod":
		return pairwise(remainder, math.Mod)
	case "Pow":
		return pairwise(func(x, y int64) int64 { return toInt64(math.Pow(float64(x), float64(y))) }, math.Pow)
	case "And":
		return pairwise(func(x, y int64) int64 { return x & y }, nil)
	case "Or":
		return pairwise(func(x, y int64) int64 { return x | y }, nil)
	case "Xor":
		return pairwise(func(x, y int64) int64 { return x ^ y }, nil)
	case "Equal":
		return compared(func(x, y int64) bool { return x == y }, func(x, y float64) bool { return x == y })
	case "Greater":
		return compared(func(x, y int64) bool { return x > y }, func(x, y float64) bool { return x > y })
	case "Less":
		return compared(func(x, y int64) bool { return x < y }, func(x, y float64) bool { return x < y })
	case "GreaterOrEqual":
		return compared(func(x, y int64) bool { return x >= y }, func(x, y float64) bool { return x >= y })
	case "LessOrEqual":
		return compared(func(x, y int64) bool { return x <= y }, func(x, y float64) bool { return x <= y })
	}
	return arithmeticOfOne(op)
}

func arithmeticOfOne(op string) func(a []number, floating bool) number {
	unchanged := func(x int64) int64 { return x }
	switch op {
	case "Neg":
		return single(func(x int64) int64 { return -x }, func(x float64) float64 { return -x })
	case "Abs":
		return single(func(x int64) int64 { return max(x, -x) }, math.Abs)
	case "Not":
		return single(func(x int64) int64 { return 1 - x }, nil)
	case "Floor":
		return single(unchanged, math.Floor)
	case "Ceil":
		return single(unchanged, math.Ceil)
	case "Round":
		return single(unchanged, math.RoundToEven)
	case "Sqrt":
		return single(nil, math.Sqrt)
	case "Reciprocal":
		return single(nil, func(x float64) float64 { return 1 / x })
	case "Where":
		return func(a []number, _ bool) number {
			if a[0].n != 0 {
				return a[1]
			}
			return a[2]
		}
	}
	return nil
}

// pairwise combines all arguments from the first to the last.
func pairwise(n func(x, y int64) int64, f func(x, y float64) float64) func([]number, bool) number {
	return func(a []number, floating bool) number {
		r := a[0]
		for _, b := range a[1:] {
			if floating && f != nil {
				r.f = f(r.f, b.f)
			} else {
				r.n = n(r.n, b.n)
			}
		}
		return r
	}
}

// compared makes a truth value of two arguments.
func compared(n func(x, y int64) bool, f func(x, y float64) bool) func([]number, bool) number {
	return func(a []number, floating bool) number {
		b := a[len(a)-1]
		if floating && f(a[0].f, b.f) || !floating && n(a[0].n, b.n) {
			return whole(1)
		}
		return whole(0)
	}
}

func single(n func(int64) int64, f func(float64) float64) func([]number, bool) number {
	return func(a []number, floating bool) number {
		switch {
		case floating && f != nil:
			return float(f(a[0].f))
		case n != nil:
			return whole(n(a[0].n))
		}
		return a[0]
	}
}

// quotient divides integers towards zero; 0 by 0, which no graph means.
func quotient(x, y int64) int64 {
	if y == 0 {
		return 0
	}
	return x / y
}

// remainder has the sign of the divisor.
func remainder(x, y int64) int64 {
	if y == 0 {
		return 0
	}
	r := x % y
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}
