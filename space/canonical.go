package space

import "slices"

// Canonical returns the schedule in the form that all schedules with the same
// meaning share: equal operation sequences with equal blocks of every tensor,
// hence the same figures. Legal schedules stay legal and keep their shared
// loops. It
//   - clips tile extents to the core's share and bursts to the innermost loop,
//     and writes one core as 0, no burst as 0 without three shared loops;
//   - moves each hold level out while its loop has one step (of a burst block:
//     while there is one burst), as long as dY stays one region or stays two;
//   - moves loops of one step outermost, within the shared and within the
//     other loops, in the order m, n, k.
func (p *Problem) Canonical(s Schedule) Schedule {
	for _, op := range s.Pass.Ops() {
		o := &s.Ops[op]
		o.Tile = p.Extents(o)
		for d := range NumDims {
			if o.Cores[d] == 1 {
				o.Cores[d] = 0
			}
		}
	}
	s.Burst = p.BurstSteps(&s)
	movable := p.moveHolds(&s)
	if movable {
		p.moveLoops(&s)
	}
	return s
}

// moveHolds moves hold levels to the outermost level of the same meaning. It
// reports whether no level is left at a loop of one step.
func (p *Problem) moveHolds(s *Schedule) bool {
	for _, op := range s.Pass.Ops() {
		o := &s.Ops[op]
		steps := p.Steps(o)
		for d := range NumDims {
			if op.Tensor(d) != GradY || s.Pass != Backward {
				o.Hold[d] = o.outermost(d, steps)
			}
		}
	}
	return s.Pass != Backward || p.moveDY(s)
}

// outermost moves the level of the operand that lacks d out over one-step
// loops.
func (o *OpSchedule) outermost(d Dim, steps [NumDims]int64) uint8 {
	h := o.Hold[d]
	for h > 0 && steps[o.Order[h-1]] == 1 {
		h = outer(o.Order, d, h)
	}
	return h
}

// moveDY moves the levels of dY of both gradients.
func (p *Problem) moveDY(s *Schedule) bool {
	a, b := &s.Ops[DX], &s.Ops[DW]
	stepsA, stepsB := p.Steps(a), p.Steps(b)
	if p.SharesDY(s) {
		if a.Hold[K] == 3 && s.Burst == stepsA[a.Order[2]] {
			a.Hold[K] = outer(a.Order, K, 3) // one burst: its set of tiles is the loop's
		}
		a.Hold[K] = a.outermost(K, stepsA)
		b.Hold[K] = a.Hold[K] // loops outside it are the same for both
		return true
	}
	a.Hold[K], b.Hold[K] = a.outermost(K, stepsA), b.outermost(K, stepsB)
	if !p.SharesDY(s) {
		return true
	}
	// Moving both would merge the regions. The outermost pair that does not:
	// dX's level goes in first, one one-step loop after the other.
	outA, outB := a.Hold[K], b.Hold[K]
	for _, hA := range a.sameMeaning(outA, stepsA) {
		for _, hB := range b.sameMeaning(outB, stepsB) {
			a.Hold[K], b.Hold[K] = hA, hB
			if !p.SharesDY(s) {
				return false
			}
		}
	}
	return false
}

// sameMeaning lists the levels of dY that mean what the outermost of them
// does: inside it, further loops of one step.
func (o *OpSchedule) sameMeaning(h uint8, steps [NumDims]int64) []uint8 {
	levels := []uint8{h}
	for i := h; i < 3; i++ {
		switch d := o.Order[i]; {
		case d == K:
		case steps[d] > 1:
			return levels
		default:
			levels = append(levels, i+1)
		}
	}
	return levels
}

// moveLoops moves loops of one step outermost. No level may be at such a loop.
func (p *Problem) moveLoops(s *Schedule) {
	for _, op := range s.Pass.Ops() {
		o := &s.Ops[op]
		steps := p.Steps(o)
		was := o.Order
		o.Order = Order{}
		next := 0
		place := func(loops []Dim) {
			for d := range NumDims {
				if steps[d] == 1 && slices.Contains(loops, d) {
					o.Order[next] = d
					next++
				}
			}
			for _, d := range loops {
				if steps[d] > 1 {
					o.Order[next] = d
					next++
				}
			}
		}
		place(was[:s.Shared])
		place(was[s.Shared:])
		for d := range NumDims {
			if h := o.Hold[d]; h > 0 {
				o.Hold[d] = uint8(o.Order.Position(was[h-1]))
			}
		}
	}
}
