package export

import "github.com/npu-tune/npu-tune/space"

// language writes the loops of a program.
type language interface {
	comment(format string, args ...any)
	// loop opens a loop over the steps of a dimension.
	loop(d space.Dim, steps, tile int64)
	// bursts opens a loop over the bursts of a dimension, burst a loop over
	// the steps of one.
	bursts(d space.Dim, steps, burst int64)
	burst(d space.Dim, steps, burst int64)
	// multiply writes one tile operation with its moves.
	multiply(a *operation)
	end()
}

// nest writes the loops of operations that run together.
func (g *program) nest(w language, ops []*operation) {
	if len(ops) == 1 {
		ops[0].loops(w, 0)
		return
	}
	first := ops[0]
	shared := int(g.s.Shared)
	for i, d := range first.o.Order[:shared] {
		if i == 2 && g.burst > 1 {
			w.bursts(d, first.steps[d], g.burst)
		} else {
			w.loop(d, first.steps[d], first.tile[d])
		}
	}
	for _, a := range ops {
		w.comment("%s", meaning[a.Op])
		if inner := a.o.Order[2]; shared == 3 && g.burst > 1 {
			w.burst(inner, a.steps[inner], g.burst)
			w.multiply(a)
			w.end()
		} else {
			a.loops(w, shared)
		}
	}
	for range shared {
		w.end()
	}
}

// loops writes an operation's loops from one on.
func (a *operation) loops(w language, from int) {
	for _, d := range a.o.Order[from:] {
		w.loop(d, a.steps[d], a.tile[d])
	}
	w.multiply(a)
	for range a.o.Order[from:] {
		w.end()
	}
}

var meaning = [space.NumOps]string{"Y = X W", "dX = dY W^T", "dW = X^T dY"}
