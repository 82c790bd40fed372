package onnx

import (
	"maps"
	"slices"
)

func controlOperators(add adder) {
	add(operator{infer: branch, holds: true}, "If")
	add(operator{infer: loop, holds: true}, "Loop")
	add(operator{infer: scan, holds: true}, "Scan")
}

// branch infers the body that runs. Where that is not known before, it infers
// both and takes the layers of the one with more work.
func branch(c *call) error {
	c.kept = true
	if _, err := c.need(0); err != nil {
		return err
	}
	names := []string{"then_branch", "else_branch"}
	if cond, ok := c.data(0); ok && len(cond) == 1 && cond[0].known() {
		name := names[1]
		if cond[0].n != 0 {
			name = names[0]
		}
		results, own, err := c.inBranch(name)
		if err != nil {
			return err
		}
		copy(c.out, results)
		c.im.merge(own, 1)
		return nil
	}
	first, own, err := c.inBranch(names[0])
	second, other, err2 := c.inBranch(names[1])
	switch {
	case err != nil && err2 != nil:
		return err
	case err != nil:
		return c.only(second, other, names[0], err)
	case err2 != nil:
		return c.only(first, own, names[1], err2)
	}
	for i := range c.out {
		if i < len(first) && i < len(second) {
			c.out[i] = c.either(first[i], second[i])
		}
	}
	taken, skipped, name := own, other, names[1]
	if own.work() < other.work() {
		taken, skipped, name = other, own, names[0]
	}
	if len(skipped.gemms) > 0 {
		c.im.leftOut = append(c.im.leftOut, LeftOut{
			c.node.label(c.scope) + "/" + name, c.node.op, "only one of the two branches runs, and the other has as much work or more",
		})
	}
	taken.unsized = append(taken.unsized, skipped.unsized...)
	taken.leftOut = append(taken.leftOut, skipped.leftOut...)
	c.im.merge(taken, 1)
	return nil
}

// only takes the branch that can run at these sizes.
func (c *call) only(results []*value, own *tally, other string, err error) error {
	copy(c.out, results)
	c.im.leftOut = append(c.im.leftOut, LeftOut{
		c.node.label(c.scope) + "/" + other, c.node.op, "the branch cannot run at these sizes: " + err.Error(),
	})
	c.im.merge(own, 1)
	return nil
}

// work returns the multiply-accumulates of all layers, nearly.
func (t *tally) work() float64 {
	var sum float64
	for _, g := range t.gemms {
		sum += float64(g.M) * float64(g.N) * float64(g.K) * float64(g.Batches()) * float64(g.times)
	}
	return sum
}

// inBranch infers a branch, apart from everything else.
func (c *call) inBranch(name string) ([]*value, *tally, error) {
	a, ok := c.attribute(name)
	if !ok || a.graph == nil {
		return nil, nil, c.bad("has no %s", name)
	}
	if len(a.graph.outputs) != len(c.out) {
		return nil, nil, c.bad("has %d outputs, but %s has %d", len(c.out), name, len(a.graph.outputs))
	}
	var results []*value
	own, err := c.im.apart(func() (err error) {
		results, err = c.body(a.graph, c.inner(name+"/", nil))
		return err
	})
	return results, own, err
}

// either returns what two values have in common.
func (c *call) either(a, b *value) *value {
	v := &value{dtype: a.dtype, trained: a.trained || b.trained, why: c.here()}
	if !a.ranked || !b.ranked || len(a.shape) != len(b.shape) {
		v.why = c.im.causes.join(v.why, c.im.causes.join(a.why, b.why))
		if cond := c.input(0); cond != nil && len(cond.data) == 1 {
			v.why = c.im.causes.join(v.why, cond.data[0].why)
		}
		return v
	}
	v.ranked = true
	for i := range a.shape {
		e := a.shape[i]
		if e != b.shape[i] && !e.equals(b.shape[i]) {
			e = unknown(c.im.causes.join(v.why, c.im.joined(e, b.shape[i])))
		}
		v.shape = append(v.shape, e)
	}
	return v
}

// loop infers its body once for all iterations. The first input is how many
// there are at most; the second, which must hold, may end it earlier.
func loop(c *call) error {
	a, ok := c.attribute("body")
	if !ok || a.graph == nil {
		return c.bad("has no body")
	}
	state := c.in[min(2, len(c.in)):]
	if len(a.graph.inputs) != len(state)+2 || len(a.graph.outputs) < len(state)+1 || len(a.graph.outputs)-1 < len(c.out) {
		return c.bad("carries %d values and has %d outputs, but its body has %d inputs and %d outputs",
			len(state), len(c.out), len(a.graph.inputs), len(a.graph.outputs))
	}
	trips := c.trips()
	inputs := map[string]*value{
		a.graph.inputs[0].name: {ranked: true, dtype: int64Type},
		a.graph.inputs[1].name: {ranked: true, dtype: boolType},
	}
	results, err := c.iterate(a.graph, a.graph.inputs[2:], state, inputs, trips, 1)
	if err != nil {
		return err
	}
	for i := range c.out {
		v := results[i+1]
		if i >= len(state) {
			v = gathered(v, trips)
		}
		c.out[i] = v
	}
	return nil
}

// gathered stacks a value of each iteration.
func gathered(v *value, trips number) *value {
	if !v.ranked {
		return v
	}
	return &value{dtype: v.dtype, ranked: true, trained: v.trained, shape: append([]number{trips}, v.shape...)}
}

// trips returns how often the loop runs.
func (c *call) trips() number {
	key := c.node.label(c.scope) + ".trips"
	if n, ok := c.im.lookup(key); ok {
		return whole(n)
	}
	if d, ok := c.data(0); ok && len(d) == 1 {
		if d[0].known() && d[0].n > 0 && d[0].n < 1<<31 {
			return d[0]
		}
	}
	return unknown(c.im.causes.dim(key))
}

// scan infers its body once for all slices of its last inputs.
func scan(c *call) error {
	a, ok := c.attribute("body")
	if !ok || a.graph == nil {
		return c.bad("has no body")
	}
	n := int(min(max(c.integer("num_scan_inputs", 0), 0), int64(len(c.in))))
	carried := len(c.in) - n
	if n == 0 || len(a.graph.inputs) != len(c.in) || len(a.graph.outputs) < max(carried, len(c.out)) {
		return c.bad("has %d inputs, %d of them to scan, and %d outputs, but its body has %d inputs and %d outputs",
			len(c.in), n, len(c.out), len(a.graph.inputs), len(a.graph.outputs))
	}
	axes, _ := c.integers("scan_input_axes")
	inputs := map[string]*value{}
	trips := number{}
	for i, v := range c.in[carried:] {
		if v == nil {
			return c.bad("input %d is missing", carried+i)
		}
		slice := &value{dtype: v.dtype, trained: v.trained, why: v.why}
		trips = c.unknown()
		if v.ranked {
			a := int64(0)
			if i < len(axes) {
				a = axes[i]
			}
			axis, err := c.axis(a, len(v.shape))
			if err != nil {
				return err
			}
			slice.ranked, trips = true, v.shape[axis]
			slice.shape = slices.Delete(slices.Clone(v.shape), axis, axis+1)
		}
		inputs[a.graph.inputs[carried+i].name] = slice
	}
	results, err := c.iterate(a.graph, a.graph.inputs[:carried], c.in[:carried], inputs, trips, 0)
	if err != nil {
		return err
	}
	for i := range c.out {
		c.out[i] = results[i]
		if i >= carried {
			c.out[i] = gathered(results[i], trips)
		}
	}
	return nil
}

// iterate infers a body until what it carries keeps its shape, and adds its
// layers trips times. The carried values are its results from skip on.
func (c *call) iterate(g *graph, names []declared, state []*value, inputs map[string]*value, trips number, skip int) ([]*value, error) {
	c.kept = true
	carried := make([]*value, len(state))
	for i, v := range state {
		if v == nil {
			return nil, c.bad("carries a value that is missing")
		}
		carried[i] = &value{shape: v.shape, ranked: v.ranked, why: v.why, dtype: v.dtype, trained: v.trained}
	}
	// A pass can reveal that a dimension grows, or that a gradient comes back
	// around; each can happen once per value.
	for range 2*len(state) + 2 {
		all := maps.Clone(inputs)
		for i, v := range carried {
			all[names[i].name] = v
		}
		var results []*value
		own, err := c.im.apart(func() (err error) {
			results, err = c.body(g, c.inner("", all))
			return err
		})
		if err != nil {
			return nil, err
		}
		changed := false
		for i, v := range carried {
			met := c.either(v, results[skip+i])
			changed = changed || met.trained != v.trained || met.ranked != v.ranked || !slices.Equal(met.shape, v.shape)
			carried[i] = met
		}
		if !changed {
			return results, c.repeated(own, trips)
		}
	}
	return nil, c.bad("what its body carries does not settle")
}

// repeated adds what a body found.
func (c *call) repeated(own *tally, trips number) error {
	switch {
	case trips.is(0):
		return nil
	case trips.known():
		c.im.merge(own, trips.n)
		return nil
	case len(own.gemms) > 0:
		c.shapeless(trips.why)
		own.gemms = nil
	}
	c.im.merge(own, 1)
	return nil
}
