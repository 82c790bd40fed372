package onnx

func normalizationOperators(add adder) {
	add(operator{infer: same}, "LRN", "LpNormalization", "MeanVarianceNormalization")
	add(operator{infer: normalization}, "BatchNormalization", "InstanceNormalization", "GroupNormalization",
		"LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization",
		contributed+":SimplifiedLayerNormalization", contributed+":GroupNorm")
	add(operator{infer: skipNormalization}, contributed+":SkipLayerNormalization", contributed+":SkipSimplifiedLayerNormalization")
}

// normalization trains a scale and a shift; running statistics, which follow
// them, are no parameters. Further outputs are statistics.
func normalization(c *call) error {
	c.train(1)
	c.train(2)
	x, err := c.need(0)
	if err != nil {
		return err
	}
	c.put(0, &value{shape: x.shape, ranked: x.ranked, why: x.why, dtype: x.dtype})
	if c.node.op != "LayerNormalization" || !x.ranked {
		return c.statistics()
	}
	axis, err := c.axis(c.integer("axis", -1), len(x.shape))
	if err != nil {
		return err
	}
	shape := append([]number(nil), x.shape...)
	for i := axis; i < len(shape); i++ {
		shape[i] = whole(1)
	}
	for i := 1; i < len(c.out); i++ {
		c.set(i, shape...)
	}
	return nil
}

// statistics gives the outputs behind the first the shape of the scale.
func (c *call) statistics() error {
	for i := 1; i < len(c.out); i++ {
		if scale := c.input(1); scale != nil {
			c.put(i, &value{shape: scale.shape, ranked: scale.ranked, why: scale.why})
		}
	}
	return nil
}

// skipNormalization normalizes the sum of two inputs; its last output is the sum.
func skipNormalization(c *call) error {
	for i := 2; i < len(c.in); i++ {
		c.train(i)
	}
	return same(c)
}
