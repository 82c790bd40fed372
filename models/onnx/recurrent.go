package onnx

import "slices"

// recurrent returns the inference of a recurrent network with so many gates:
// X[steps,batch,inputs], W[directions,gates·hidden,inputs] and
// R[directions,gates·hidden,hidden].
func recurrent(gates int64) func(c *call) error {
	return func(c *call) error {
		x, err := c.need(0)
		if err != nil {
			return err
		}
		w, err := c.need(1)
		if err != nil {
			return err
		}
		r, err := c.need(2)
		if err != nil {
			return err
		}
		c.train(3)
		if c.node.op == "LSTM" {
			c.train(7) // peepholes
		}
		if !x.ranked || !w.ranked || !r.ranked {
			return c.blind()
		}
		if len(x.shape) != 3 || len(w.shape) != 3 || len(r.shape) != 3 {
			return c.bad("X, W and R are of rank %d, %d and %d, want 3 each", len(x.shape), len(w.shape), len(r.shape))
		}
		return c.steps(x, w, r, gates)
	}
}

// steps emits the products of a recurrent network.
func (c *call) steps(x, w, r *value, gates int64) error {
	seq, batch := x.shape[0], x.shape[1]
	if c.integer("layout", 0) != 0 {
		seq, batch = batch, seq
	}
	dirs, rows, hidden := r.shape[0], r.shape[1], r.shape[2]
	if rows.known() && hidden.known() && rows.n != saturate(hidden.n, gates) {
		return c.bad("R is of shape %s, want %d rows for each of %d hidden features", printed(r.shape), gates, hidden.n)
	}
	if a, b := x.shape[2], w.shape[2]; a.known() && b.known() && a.n != b.n {
		return c.bad("X has %d features, but W takes %d", a.n, b.n)
	}
	if w.shape[1].known() && rows.known() && w.shape[1].n != rows.n {
		return c.bad("W has %d rows, but R has %d", w.shape[1].n, rows.n)
	}
	c.recurrentOutputs(seq, batch, dirs, hidden)
	err := c.emit(product{
		part: "input", m: c.im.product(seq, batch), n: c.im.product(dirs, rows), k: w.shape[2], batch: whole(1), x: x, w: w,
	})
	if err != nil {
		return err
	}
	if c.node.op == "GRU" && c.integer("linear_before_reset", 0) == 0 {
		two := c.im.product(hidden, whole(2))
		if err := c.hidden("recurrent", seq, batch, two, hidden, dirs, r, false); err != nil {
			return err
		}
		// The third gate multiplies the state after the reset gate.
		candidate := *r
		candidate.origin = &origin{parts: []*origin{r.origin}}
		return c.hidden("candidate", seq, batch, hidden, hidden, dirs, &candidate, true)
	}
	return c.hidden("recurrent", seq, batch, rows, hidden, dirs, r, false)
}

// hidden emits the product of each step with the state before it. The first
// state is an input or zero; its gradient is needed only if something trainable
// made it, or if a gate stands between.
func (c *call) hidden(part string, seq, batch, n, k, dirs number, r *value, gated bool) error {
	first := gated
	if h := c.input(5); h != nil {
		first = first || h.trained
	}
	step := product{part: part, m: batch, n: n, k: k, batch: dirs, x: &value{trained: first}, w: r}
	if first || !seq.known() || seq.n < 2 {
		step.x, step.times = &value{trained: first || !seq.is(1)}, seq
		if seq.is(0) {
			step.m = whole(0)
			step.times = whole(1)
		}
		return c.emit(step)
	}
	step.part = part + ".first"
	if err := c.emit(step); err != nil {
		return err
	}
	step.part, step.x, step.times = part, &value{trained: true}, whole(seq.n-1)
	return c.emit(step)
}

// recurrentOutputs sets all states, and the last one of each kind.
func (c *call) recurrentOutputs(seq, batch, dirs, hidden number) {
	all := []number{seq, dirs, batch, hidden}
	last := []number{dirs, batch, hidden}
	if c.integer("layout", 0) != 0 {
		all = []number{batch, seq, dirs, hidden}
		last = []number{batch, dirs, hidden}
	}
	c.set(0, all...)
	c.set(1, last...)
	c.set(2, slices.Clone(last)...)
}
