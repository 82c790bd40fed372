package onnx

func elementwiseOperators(add adder) {
	add(operator{infer: same}, "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Bernoulli", "BitwiseNot", "Celu",
		"Clip", "Cos", "Cosh", "CumProd", "CumSum", "Elu", "Erf", "Exp", "Gelu", "HardSigmoid", "HardSwish", "Hardmax", "LeakyRelu",
		"Log", "LogSoftmax", "Mish", "ReverseSequence", "Relu", "Scatter", "ScatterElements", "ScatterND", "Selu",
		"Shrink", "Sigmoid", "Sign", "Sin", "Sinh", "Softmax", "Softplus", "Softsign", "Swish", "Tan", "Tanh",
		"TensorScatter", "ThresholdedRelu", "Trilu", "RotaryEmbedding",
		contributed+":BiasGelu", contributed+":FastGelu", contributed+":Gelu", contributed+":QuickGelu", contributed+":RotaryEmbedding")
	add(operator{infer: same, moves: true}, "Identity")
	add(operator{infer: dropout}, "Dropout")
	add(operator{infer: cast, moves: true}, "Cast", "CastLike", "BitCast")
	add(operator{infer: cast, moves: true}, "QuantizeLinear", "DequantizeLinear",
		contributed+":QuantizeLinear", contributed+":DequantizeLinear")
	add(operator{infer: dynamicQuantize}, "DynamicQuantizeLinear")
	add(operator{infer: truth(1)}, "Not", "IsNaN", "IsInf")
	add(operator{infer: truth(2)}, "And", "Or", "Xor", "Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual")
	add(operator{infer: together}, "Sub", "Div", "Mod", "Pow", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor",
		"Max", "Min", "Mean", "Sum", "Neg", "Abs", "Floor", "Ceil", "Round", "Sqrt", "Reciprocal")
	add(operator{infer: withParameters}, "Add", "Mul")
	add(operator{infer: prelu}, "PRelu")
	add(operator{infer: where}, "Where")
	add(operator{infer: random}, "RandomNormalLike", "RandomUniformLike")
	add(operator{infer: quantizedPair}, contributed+":QLinearAdd", contributed+":QLinearMul")
	add(operator{infer: same}, contributed+":QLinearSigmoid", contributed+":QLinearLeakyRelu", contributed+":QLinearSoftmax")
}

// same is an operator whose outputs look like its first input.
func same(c *call) error {
	x, err := c.need(0)
	if err != nil {
		return err
	}
	for i := range c.out {
		c.put(i, &value{shape: x.shape, ranked: x.ranked, why: x.why, dtype: x.dtype})
	}
	if c.operator.moves && len(c.out) > 0 {
		c.out[0].data = x.data
	}
	return nil
}

// dropout hands its input on; the second output is a mask.
func dropout(c *call) error {
	if err := same(c); err != nil {
		return err
	}
	if len(c.out) > 1 {
		c.out[1].dtype = boolType
	}
	return nil
}

// dynamicQuantize makes a quantized tensor, its scale and its zero point.
func dynamicQuantize(c *call) error {
	if err := same(c); err != nil {
		return err
	}
	c.set(1)
	c.set(2)
	return nil
}

// cast converts elements.
func cast(c *call) error {
	x, err := c.need(0)
	if err != nil {
		return err
	}
	v := &value{shape: x.shape, ranked: x.ranked, why: x.why, dtype: c.castTo(x.dtype)}
	if x.data != nil && (c.node.op == "Cast" || c.node.op == "CastLike") {
		v.data = converted(x.data, x.dtype, v.dtype)
	}
	c.put(0, v)
	return nil
}

// castTo returns the type that a conversion makes.
func (c *call) castTo(from dtype) dtype {
	switch c.node.op {
	case "Cast", "BitCast":
		return dtype(c.integer("to", int64(from)))
	case "DequantizeLinear":
		return float32Type
	case "QuantizeLinear":
		// Gradients pass a quantization as if it were not there.
		return from
	}
	if like := c.input(1); like != nil {
		return like.dtype
	}
	return from
}

// converted returns numbers of one type as those of another.
func converted(data []number, from, to dtype) []number {
	if to == 0 || to == stringType || from == stringType {
		return nil
	}
	list := make([]number, len(data))
	for i, a := range data {
		switch {
		case from.floating() && !to.floating():
			a = number{n: toInt64(a.f), why: a.why}
		case !from.floating() && to.floating():
			a = number{f: float64(a.n), why: a.why}
		}
		if to == boolType && (a.n != 0 || a.f != 0) {
			a = number{n: 1, why: a.why}
		}
		list[i] = a
	}
	return list
}

// together broadcasts the inputs and computes with them if they are constants.
func together(c *call) error {
	if c.integer("broadcast", 0) != 0 { // before opset 7
		return same(c)
	}
	v, err := c.broadcast(c.in)
	if err != nil {
		return err
	}
	c.put(0, v)
	if first := c.input(0); first != nil {
		v.dtype = first.dtype
	}
	v.data = c.fold(v, c.in)
	return nil
}

// withParameters is together; a stored vector that meets an activation is a
// bias or a scale, and trained.
func withParameters(c *call) error {
	a, b := c.input(0), c.input(1)
	if a != nil && b != nil && a.constant != b.constant {
		for i, v := range []*value{a, b} {
			if v.constant && v.origin.large() {
				c.train(i)
			}
		}
	}
	return together(c)
}

func prelu(c *call) error {
	c.train(1)
	return same(c)
}

// truth is an operator on so many inputs whose outputs are truth values.
func truth(inputs int) func(c *call) error {
	return func(c *call) error {
		if len(c.in) > inputs {
			return c.bad("has %d inputs, want %d", len(c.in), inputs)
		}
		if err := together(c); err != nil {
			return err
		}
		if len(c.out) > 0 && c.out[0] != nil {
			c.out[0].dtype = boolType
		}
		return nil
	}
}

// where chooses between two tensors.
func where(c *call) error {
	if len(c.in) != 3 {
		return c.bad("has %d inputs, want 3", len(c.in))
	}
	v, err := c.broadcast(c.in)
	if err != nil {
		return err
	}
	if x := c.input(1); x != nil {
		v.dtype = x.dtype
	}
	c.put(0, v)
	v.data = c.fold(v, c.in)
	return nil
}

// random makes numbers of its input's shape.
func random(c *call) error {
	if err := same(c); err != nil {
		return err
	}
	c.kept = true
	return nil
}

// quantizedPair broadcasts two quantized tensors, each with scale and zero.
func quantizedPair(c *call) error {
	a, err := c.need(0)
	if err != nil {
		return err
	}
	b, err := c.need(3)
	if err != nil {
		return err
	}
	v, err := c.broadcast([]*value{a, b})
	if err != nil {
		return err
	}
	c.put(0, v)
	return nil
}

// broadcast returns the shape that tensors have in common, after the rules of
// ONNX: aligned at their last axes, ones stretched.
func (c *call) broadcast(inputs []*value) (*value, error) {
	var shape []number
	for i, v := range inputs {
		switch {
		case v == nil:
			return nil, c.bad("input %d is missing", i)
		case !v.ranked:
			return &value{why: c.why()}, nil
		}
		var err error
		if shape, err = c.stretch(shape, v.shape); err != nil {
			return nil, err
		}
	}
	return &value{shape: shape, ranked: true}, nil
}

// stretch broadcasts two shapes.
func (c *call) stretch(a, b []number) ([]number, error) {
	if len(a) < len(b) {
		a, b = b, a
	}
	shape := append([]number(nil), a...)
	for i, e := range b {
		at := len(a) - len(b) + i
		d := shape[at]
		switch {
		case d.is(1):
			shape[at] = e
		case d.equals(e):
			if d.f == 0 {
				shape[at] = e // which may hold a batch
			}
		case e.is(1):
		case d.known() && e.known():
			return nil, c.bad("cannot broadcast shapes %s and %s", printed(a), printed(b))
		case e.known():
			shape[at] = e
		case !d.known():
			shape[at] = unknown(c.im.causes.join(d.why, e.why))
		}
	}
	return shape, nil
}
