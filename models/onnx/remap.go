package onnx

// strides returns how far apart neighbours along each axis lie.
func strides(shape []int64) []int64 {
	s := make([]int64, len(shape))
	step := int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		s[i] = step
		step *= shape[i]
	}
	return s
}

// extents returns the dimensions of a shape if all are known and the tensor has
// at most maxFolded elements.
func extents(shape []number) ([]int64, bool) {
	n := int64(1)
	list := make([]int64, len(shape))
	for i, e := range shape {
		if !e.known() || e.n < 0 {
			return nil, false
		}
		list[i] = e.n
		if n = saturate(n, e.n); n > maxFolded {
			return nil, false
		}
	}
	return list, true
}

// remap makes a constant of that shape; from returns the element for an index.
func remap(shape []int64, from func(index []int64) number) []number {
	n := int64(1)
	for _, e := range shape {
		n *= e
	}
	data := make([]number, 0, n)
	index := make([]int64, len(shape))
	for range n {
		data = append(data, from(index))
		for i := len(index) - 1; i >= 0; i-- {
			if index[i]++; index[i] < shape[i] {
				break
			}
			index[i] = 0
		}
	}
	return data
}

// flat returns the position of an index of a broadcast shape in a tensor that
// was broadcast to it.
func flat(index, shape, step []int64) int64 {
	var at int64
	skip := len(index) - len(shape)
	for i, e := range shape {
		if e > 1 {
			at += index[skip+i] * step[i]
		}
	}
	return at
}
