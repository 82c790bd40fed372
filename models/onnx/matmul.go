package onnx

import "slices"

func matrixOperators(add adder) {
	add(operator{infer: matMul(1), holds: true}, "MatMul", "MatMulInteger", contributed+":MatMulInteger16",
		contributed+":MatMulIntegerToFloat", contributed+":DynamicQuantizeMatMul", contributed+":FusedMatMul", contributed+":TransposeMatMul")
	add(operator{infer: matMul(3), holds: true}, "QLinearMatMul")
	add(operator{infer: gemmNode(1, 2), holds: true}, "Gemm", contributed+":FusedGemm")
	add(operator{infer: gemmNode(3, 6), holds: true}, contributed+":QGemm")
	add(operator{infer: matMulBits, holds: true}, contributed+":MatMulNBits")
	add(operator{infer: einsum, holds: true}, "Einsum")
	add(operator{infer: recurrent(4), holds: true}, "LSTM")
	add(operator{infer: recurrent(3), holds: true}, "GRU")
	add(operator{infer: recurrent(1), holds: true}, "RNN")
	add(operator{infer: attention, holds: true}, "Attention")
	add(operator{infer: fusedAttention, holds: true}, contributed+":MultiHeadAttention", contributed+":GroupQueryAttention")
	add(operator{infer: packedAttention, holds: true}, contributed+":Attention")
}

// gemmNode returns the inference of Gemm with those inputs as B and C.
func gemmNode(b, bias int) func(c *call) error {
	return func(c *call) error {
		x, err := c.need(0)
		if err != nil {
			return err
		}
		w, err := c.need(b)
		if err != nil {
			return err
		}
		if in := c.input(bias); in != nil && in.constant && in.origin.large() {
			c.train(bias)
		}
		if !x.ranked || !w.ranked {
			return c.blind()
		}
		if len(x.shape) != 2 || len(w.shape) != 2 {
			return c.bad("multiplies tensors of rank %d and %d, want matrices", len(x.shape), len(w.shape))
		}
		a, bShape := x.shape, w.shape
		if c.integer("transA", 0) != 0 {
			a = []number{a[1], a[0]}
		}
		if c.integer("transB", 0) != 0 {
			bShape = []number{bShape[1], bShape[0]}
		}
		return c.multiply(x, w, a, bShape)
	}
}

// matMul returns the inference of MatMul with that input as B.
func matMul(b int) func(c *call) error {
	return func(c *call) error {
		x, err := c.need(0)
		if err != nil {
			return err
		}
		w, err := c.need(b)
		if err != nil {
			return err
		}
		if !x.ranked || !w.ranked {
			return c.blind()
		}
		if len(x.shape) == 0 || len(w.shape) == 0 {
			return c.bad("multiplies a scalar, want vectors or matrices")
		}
		left, right := x.shape, w.shape
		if len(left) > 1 && c.integer("transA", 0) != 0 {
			left = swapped(left)
		}
		if len(right) > 1 && c.integer("transB", 0) != 0 {
			right = swapped(right)
		}
		return c.multiply(x, w, left, right)
	}
}

// swapped exchanges the last two dimensions.
func swapped(shape []number) []number {
	s, n := slices.Clone(shape), len(shape)
	s[n-1], s[n-2] = s[n-2], s[n-1]
	return s
}

// multiply infers the product of two stacks of matrices; a vector is a row on
// the left and a column on the right.
func (c *call) multiply(x, w *value, left, right []number) error {
	row, column := len(left) == 1, len(right) == 1
	if row {
		left = []number{whole(1), left[0]}
	}
	if column {
		right = []number{right[0], whole(1)}
	}
	m, k := left[len(left)-2], left[len(left)-1]
	k2, n := right[len(right)-2], right[len(right)-1]
	if k.known() && k2.known() && k.n != k2.n {
		return c.bad("cannot multiply shapes %s and %s: %d columns meet %d rows", printed(left), printed(right), k.n, k2.n)
	}
	if !k.known() {
		k = k2
	}
	stack, err := c.stretch(left[:len(left)-2], right[:len(right)-2])
	if err != nil {
		return err
	}
	shape := slices.Clone(stack)
	if !row {
		shape = append(shape, m)
	}
	if !column {
		shape = append(shape, n)
	}
	c.set(0, shape...)
	p := c.stacked(left[:len(left)-2], right[:len(right)-2], stack)
	p.m, p.n, p.k = c.im.product(p.m, m), c.im.product(p.n, n), k
	p.x, p.w = x, w
	return c.emit(p.oriented())
}

// stacked folds the dimensions that only one operand has into its side, and
// leaves as batch what both have.
func (c *call) stacked(left, right, stack []number) product {
	p := product{m: whole(1), n: whole(1), batch: whole(1)}
	at := func(shape []number, i int) number {
		if i -= len(stack) - len(shape); i >= 0 {
			return shape[i]
		}
		return whole(1)
	}
	for i, e := range stack {
		switch {
		case at(right, i).is(1):
			p.m = c.im.product(p.m, e)
		case at(left, i).is(1):
			p.n = c.im.product(p.n, e)
		default:
			p.batch = c.im.product(p.batch, e)
		}
	}
	return p
}

// oriented puts a constant operand on the right: Yᵀ = Wᵀ·Xᵀ.
func (p product) oriented() product {
	if p.x.constant && !p.w.constant {
		p.x, p.w, p.m, p.n = p.w, p.x, p.n, p.m
	}
	return p
}

// matMulBits multiplies by weights of a few bits, whose shape attributes say.
func matMulBits(c *call) error {
	x, err := c.need(0)
	if err != nil {
		return err
	}
	w, err := c.need(1)
	if err != nil {
		return err
	}
	if !x.ranked {
		return c.blind()
	}
	k, n := whole(c.integer("K", 0)), whole(c.integer("N", 0))
	if len(x.shape) == 0 || x.shape[len(x.shape)-1].known() && !x.shape[len(x.shape)-1].equals(k) {
		return c.bad("its input is of shape %s, but its weights have %d rows", printed(x.shape), k.n)
	}
	rows := x.shape[:len(x.shape)-1]
	c.set(0, append(slices.Clone(rows), n)...)
	return c.emit(product{m: c.im.product(rows...), n: n, k: k, batch: whole(1), x: x, w: w})
}
