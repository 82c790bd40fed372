package space

import (
	"fmt"
	"strings"
)

// LoopNest writes a legal schedule as loops that people can read: the extent
// and steps of each, where the block of each tensor stays, how large it is and
// how often it moves, where the two gradients alternate.
func (p *Problem) LoopNest(s *Schedule) string {
	w := nest{p: p, s: s, one: p.SharesDY(s)}
	f := p.Footprint(s)
	w.uses = f.Uses()
	w.header(&f)
	switch {
	case s.Pass != Backward:
		w.operation(s.Pass.Ops()[0], 0)
	case p.TwoRuns(s):
		w.line("first run, all of dX:")
		w.depth = 1
		w.operation(DX, 0)
		w.depth = 0
		w.line("second run, all of dW, the SPM to itself:")
		w.depth = 1
		w.operation(DW, 0)
	default:
		w.pair()
	}
	return w.b.String()
}

// nest writes the lines of one loop nest.
type nest struct {
	p     *Problem
	s     *Schedule
	one   bool // dY is one region
	uses  []Use
	b     strings.Builder
	depth int
}

func (w *nest) line(format string, args ...any) {
	w.b.WriteString(strings.Repeat("  ", w.depth))
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteByte('\n')
}

func (w *nest) header(f *Footprint) {
	l := w.p.Layer
	w.line("%s pass, m %d × n %d × k %d%s", w.s.Pass, l.M, l.N, l.K, batches(l.Batches()))
	if w.s.Pass == Backward {
		w.line("%s", w.granularity())
	}
	w.line("SPM: %d bytes", f.SPMBytes())
	for _, op := range w.s.Pass.Ops() {
		o := &w.s.Ops[op]
		if o.CoreCount() > 1 {
			w.line("%s on %d cores: m in %d, n in %d, k in %d parts; each core runs m %d × n %d × k %d", op, o.CoreCount(),
				o.Parts(M), o.Parts(N), o.Parts(K), w.p.Share(o, M), w.p.Share(o, N), w.p.Share(o, K))
		}
	}
}

func batches(n int64) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(", %d times", n)
}

func (w *nest) granularity() string {
	switch w.s.Shared {
	case 0:
		return "the gradients run one after the other"
	case 1:
		return "the gradients alternate once per step of loop " + w.s.Ops[DX].Order[0].String()
	case 2:
		return "the gradients alternate once per block of loops " + w.s.Ops[DX].Order[0].String() + " and " + w.s.Ops[DX].Order[1].String()
	}
	if n := w.p.BurstSteps(w.s); n > 1 {
		return fmt.Sprintf("the gradients alternate every %d tiles along loop %s", n, w.s.Ops[DX].Order[2])
	}
	return "the gradients alternate tile by tile"
}

// pair writes the loops that both gradients walk, then each one's own.
func (w *nest) pair() {
	w.shared(0)
	for i := range int(w.s.Shared) {
		d := w.s.Ops[DX].Order[i]
		note := "  both gradients"
		if i == 2 {
			if n := w.p.BurstSteps(w.s); n > 1 {
				note += fmt.Sprintf(", in bursts of %d steps", n)
			}
		}
		w.loop(DX, d, note)
		w.shared(uint8(i + 1))
	}
	for _, op := range w.s.Pass.Ops() {
		w.line("%s:", op)
		w.depth++
		depth := w.depth
		if w.s.Shared == 3 {
			if w.p.BurstSteps(w.s) > 1 {
				w.line("for each %s of the burst", w.s.Ops[op].Order[2])
				w.depth++
			}
			w.keepOwn(op, 3)
			w.multiply(op)
		} else {
			w.operation(op, int(w.s.Shared))
		}
		w.depth = depth - 1
	}
}

// shared writes what stays inside the shared loops up to a level. What lies
// inside the innermost shared loop is written with its gradient, except dY of
// both.
func (w *nest) shared(level uint8) {
	if w.one && w.s.Ops[DX].Hold[K] == level {
		w.keep(DX, K)
	}
	if level == w.s.Shared {
		return
	}
	for _, op := range w.s.Pass.Ops() {
		w.keepOwn(op, level)
	}
}

// operation writes an operation's loops inside the first few.
func (w *nest) operation(op Op, from int) {
	w.keepOwn(op, uint8(from))
	for i := from; i < 3; i++ {
		w.loop(op, w.s.Ops[op].Order[i], "")
		w.keepOwn(op, uint8(i+1))
	}
	w.multiply(op)
}

func (w *nest) loop(op Op, d Dim, note string) {
	o := &w.s.Ops[op]
	share, tile, steps := w.p.Share(o, d), w.p.Extents(o)[d], w.p.Steps(o)[d]
	last := ""
	if rest := share - (steps-1)*tile; rest != tile {
		last = fmt.Sprintf(", the last of %d", rest)
	}
	w.line("for %s in %d by %d  %s%s%s", d, share, tile, count(steps, "step"), last, note)
	w.depth++
}

func count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// keepOwn writes the tensors that the operation alone holds at a level.
func (w *nest) keepOwn(op Op, level uint8) {
	for _, d := range operandOrder(op) {
		if w.s.Ops[op].Hold[d] == level && !(w.one && d == K) {
			w.keep(op, d)
		}
	}
}

// keep writes the block of the operand that lacks d.
func (w *nest) keep(op Op, d Dim) {
	t := op.Tensor(d)
	for i := range w.uses {
		u := &w.uses[i]
		if u.Ops[op] && u.Region.Tensor() == t {
			w.line("keep %s %s: %s of %d bytes at %s; %s", u.Region, w.block(op, d), count(u.Slots, "slot"), u.TileBytes, address(u), w.moves(op, d))
		}
	}
}

func address(u *Use) string {
	if u.Pool == 0 {
		return fmt.Sprint(u.Offset)
	}
	return fmt.Sprintf("%d of pool %d", u.Offset, u.Pool)
}

// block says which part of the operand that lacks d stays.
func (w *nest) block(op Op, d Dim) string {
	o := &w.s.Ops[op]
	tile, level := w.p.Extents(o), int(o.Hold[d])
	var parts []string
	for i := range NumDims {
		if i == d {
			continue
		}
		extent := tile[i]
		switch {
		case o.Order.Position(i) > level:
			extent = w.p.Share(o, i)
		case w.one && d == K && level == 3 && o.Order[2] == i:
			extent = min(w.p.BurstSteps(w.s)*extent, w.p.Share(o, i))
		}
		parts = append(parts, fmt.Sprintf("%s %d", i, extent))
	}
	return "[" + strings.Join(parts, " × ") + "]"
}

// moves says how often the operand that lacks d crosses the DRAM interface
// (cost model section 9).
func (w *nest) moves(op Op, d Dim) string {
	times := w.p.reloads(w.s, op, d)
	output := op.Reduction() == d
	if parts := w.s.Ops[op].Parts(d); output && parts > 1 {
		return fmt.Sprintf("written %s, partial sums that are added up over %d cores at the end", count(times, "time"), parts)
	}
	switch {
	case !output && times == 1:
		return "read once"
	case !output:
		return fmt.Sprintf("read %d times, once per step of %s", times, d)
	case times == 1:
		return "complete when written"
	}
	return fmt.Sprintf("written %d times, once per step of %s, partial sums read back", times, d)
}

// reloads returns how often each element of the operand that lacks d comes to
// the SPM of a core: 1, or once per step of d where d's loop runs outside a
// loop that changes the block.
func (p *Problem) reloads(s *Schedule, op Op, d Dim) int64 {
	o := &s.Ops[op]
	steps := p.Steps(o)
	own := steps
	if op.Tensor(d) == GradY && o.Hold[d] == 3 && p.SharesDY(s) {
		last := o.Order[2] // of a burst block, bursts are the steps
		own[last] = CeilDiv(steps[last], p.BurstSteps(s))
	}
	for i := int(o.Hold[d]) - 1; i >= 0; i-- {
		if x := o.Order[i]; x != d && own[x] > 1 {
			if o.Order.Position(d) <= i {
				return steps[d]
			}
			return 1
		}
	}
	return 1
}

// multiply writes the tile operation, with its dataflow.
func (w *nest) multiply(op Op) {
	t := w.p.Extents(&w.s.Ops[op])
	expr := [NumOps]string{"y[m,n] += x[m,k] · w[k,n]", "dx[m,k] += dy[m,n] · w[k,n]ᵀ", "dw[k,n] += x[m,k]ᵀ · dy[m,n]"}[op]
	w.line("%s  %d × %d × %d, %s", expr, t[op.Rows()], t[op.Columns()], t[op.Reduction()], w.s.Ops[op].Dataflow)
}
