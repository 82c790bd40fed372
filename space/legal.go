package space

import (
	"errors"
	"fmt"

	"github.com/npu-tune/npu-tune/hardware"
)

// ErrIllegal is wrapped where a schedule is not one of its problem.
var ErrIllegal = errors.New("illegal schedule")

// Legal reports the first rule of the cost model's section 2 that the schedule
// breaks, nil if it is one of the problem's schedules. Whether it fits the SPM
// is another question: Footprint. It allocates nothing for a legal schedule.
func (p *Problem) Legal(s *Schedule) error {
	if s.Pass != p.Pass || s.Pass >= NumPasses {
		return fmt.Errorf("%w: it is of the %s pass, want %s", ErrIllegal, s.Pass, p.Pass)
	}
	for op := range NumOps {
		o := &s.Ops[op]
		if !s.Pass.Has(op) {
			if *o != (OpSchedule{}) {
				return fmt.Errorf("%w: %s is set, but the %s pass has %v", ErrIllegal, op, s.Pass, s.Pass.Ops())
			}
			continue
		}
		if err := p.legalOp(op, o); err != nil {
			return err
		}
	}
	if s.Pass != Backward {
		if s.Shared != 0 || s.Burst > 1 || s.Burst < 0 {
			return fmt.Errorf("%w: %d shared loops in bursts of %d, but the %s pass has one operation", ErrIllegal, s.Shared, s.Burst, s.Pass)
		}
		return nil
	}
	return p.legalPair(s)
}

// Has reports whether op belongs to the pass.
func (p Pass) Has(op Op) bool {
	switch p {
	case Forward:
		return op == Fwd
	case DWOnly:
		return op == DW
	}
	return op == DX || op == DW
}

func (p *Problem) legalOp(op Op, o *OpSchedule) error {
	if o.Order.Position(M)*o.Order.Position(N)*o.Order.Position(K) != 6 {
		return fmt.Errorf("%w: %s.order is %s, want each of m, n and k once", ErrIllegal, op, o.Order)
	}
	for d := range NumDims {
		if o.Tile[d] < 1 {
			return fmt.Errorf("%w: %s.tile.%s is %d, want 1 to %d", ErrIllegal, op, d, o.Tile[d], p.Share(o, d))
		}
		t, h := op.Tensor(d), o.Hold[d]
		if h > 3 {
			return fmt.Errorf("%w: %s.hold.%s is %d, want 0 to 3", ErrIllegal, op, t, h)
		}
		if h > 0 && o.Order[h-1] == d {
			return fmt.Errorf("%w: %s.hold.%s is %d, but loop %d is %s, which %s lacks: want %d",
				ErrIllegal, op, t, h, h, d, t, outer(o.Order, d, h))
		}
	}
	if o.Dataflow >= hardware.NumDataflows || !p.HW.HasDataflow(o.Dataflow) {
		return fmt.Errorf("%w: %s.dataflow is %s, which the array does not have", ErrIllegal, op, o.Dataflow)
	}
	if n := o.CoreCount(); p.HW.Cores > 0 && n > p.HW.Cores {
		return fmt.Errorf("%w: %s uses %d cores, the NPU has %d", ErrIllegal, op, n, p.HW.Cores)
	}
	return p.countable(op, o)
}

// countable reports core counts with which figures overflow; Problem.Check
// knows of the NPU's cores only.
func (p *Problem) countable(op Op, o *OpSchedule) error {
	n := o.CoreCount()
	size := float64(n) * float64(p.Share(o, M)) * float64(p.Share(o, N)) * float64(p.Share(o, K))
	if n > 1 && p.overflows(size) {
		return fmt.Errorf("%w: %s on %d cores: %w", ErrIllegal, op, n, ErrOverflow)
	}
	return nil
}

// HoldLevels lists the hold levels that are canonical for the operand that
// lacks d, outermost first: 0 and the positions of the two loops that it has.
func HoldLevels(o Order, d Dim) []uint8 {
	return holdLevels[min(o.Position(d), 3)]
}

var holdLevels = [4][]uint8{{0}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}}

// outer returns the next level outside h for the operand that lacks d.
func outer(o Order, d Dim, h uint8) uint8 {
	if h == 0 {
		return 0
	}
	h--
	if h > 0 && o[h-1] == d {
		h--
	}
	return h
}

// legalPair checks what the two gradients must have in common.
func (p *Problem) legalPair(s *Schedule) error {
	if s.Shared > 3 {
		return fmt.Errorf("%w: shared is %d loops, want 0 to 3", ErrIllegal, s.Shared)
	}
	if s.Burst < 0 || s.Burst > 1 && s.Shared != 3 {
		return fmt.Errorf("%w: burst is %d with %d shared loops, want 1; three shared loops allow more", ErrIllegal, s.Burst, s.Shared)
	}
	if s.Shared == 0 {
		return nil
	}
	a, b := &s.Ops[DX], &s.Ops[DW]
	if !sameParts(a, b) {
		return fmt.Errorf("%w: dx.cores are %v and dw.cores %v, want the same where loops are shared", ErrIllegal, a.Cores, b.Cores)
	}
	ta, tb := p.Extents(a), p.Extents(b)
	for i := range s.Shared {
		d := a.Order[i]
		if b.Order[i] != d {
			return fmt.Errorf("%w: shared loop %d is %s in dx.order and %s in dw.order, want the same", ErrIllegal, i+1, d, b.Order[i])
		}
		if ta[d] != tb[d] {
			return fmt.Errorf("%w: dx.tile.%s is %d and dw.tile.%s %d, want the same: the loop is shared", ErrIllegal, d, ta[d], d, tb[d])
		}
	}
	return nil
}
