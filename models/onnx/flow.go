package onnx

// settle completes an output: what the file declares of it where inference
// stops, and how gradients pass.
func (im *importer) settle(c *call, v *value, name string) *value {
	if v == nil {
		v = &value{why: c.here()}
	}
	kept := *v // an output may be an input handed on, which stays as it is
	v = &kept
	if d, ok := c.scope.infos[name]; ok {
		im.trust(v, d)
	}
	v.shape = v.shape[:len(v.shape):len(v.shape)]
	if v.data != nil {
		if im.folded += int64(len(v.data)); im.folded > maxElements {
			v.data = nil
		}
	}
	if !c.kept {
		c.flow(v)
	}
	return v
}

// flow derives from the inputs whether an output is a constant, of what, and
// whether its gradient is needed.
func (c *call) flow(v *value) {
	v.constant, v.trained, v.origin = true, false, nil
	var parts []*origin
	for _, in := range c.in {
		if in == nil {
			continue
		}
		v.constant = v.constant && in.constant
		v.trained = v.trained || in.trained
		if in.origin != nil && in.dtype.floating() {
			parts = append(parts, in.origin)
		}
	}
	v.trained = (v.trained || c.trains) && v.dtype.floating()
	if !v.constant {
		return
	}
	switch {
	case c.operator.moves:
		if first := c.input(0); first != nil {
			v.origin = first.origin
		}
	case len(parts) > 0 && v.dtype.floating():
		v.origin = &origin{elements: c.im.elements(v), dtype: v.dtype, parts: parts}
	}
}

// trust takes from a declaration what inference could not find. After a fixed
// batch was replaced, declared numbers may be those of the old one.
func (im *importer) trust(v *value, d declared) {
	if v.dtype == 0 {
		v.dtype = d.dtype
	}
	if v.ranked && len(v.shape) != len(d.dims) {
		return
	}
	shape := make([]number, len(d.dims))
	for i, e := range d.dims {
		why := v.why
		if v.ranked {
			why = v.shape[i].why
			if why == 0 {
				shape[i] = v.shape[i]
				continue
			}
		}
		if e.stated && im.rebatched() {
			shape[i] = unknown(why)
			continue
		}
		shape[i] = im.of(e, why)
	}
	v.shape, v.ranked = shape, true
}

// train counts an input among the parameters if it is a stored constant, and
// says that the outputs depend on something trainable.
func (c *call) train(i int) {
	v := c.input(i)
	if v == nil || !v.constant || v.origin == nil {
		return
	}
	c.im.others += trainable(v.origin)
	c.trains = true
}
