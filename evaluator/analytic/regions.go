package analytic

import (
	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/space"
)

// use is what regions take of each role's SPM.
type use [hardware.NumRoles]int64

// fits reports whether the use of one core (of all, where the SPM is shared)
// stays within every pool.
func (m *Model) fits(u *use, cores int64) bool {
	hw := &m.problem.HW
	times := int64(1)
	if hw.SharedSPM {
		times = cores
	}
	var sum [hardware.NumRoles]int64
	for r := range hardware.NumRoles {
		sum[hw.PoolOf[r]] += u[r]
	}
	for i := range hw.NPools {
		if cap := hw.Pools[i].Bytes; cap > 0 && sum[i] > cap*times {
			return false
		}
	}
	return true
}

func (u *use) total() int64 { return u[0] + u[1] + u[2] }

// regions fills slots and SPM bytes of a single run and reports whether it
// fits.
func (m *Model) regions(c *evaluator.Cost, dx, dw *op, s *space.Schedule, merged bool) bool {
	var u use
	m.own(c, &u, dx, &s.Ops[space.DX], int(s.Shared), s.Burst, false, merged)
	m.own(c, &u, dw, &s.Ops[space.DW], int(s.Shared), s.Burst, false, merged)
	c.SPMBytes = u.total()
	return m.fits(&u, dx.cores)
}

// twoRuns fills slots and SPM bytes of two gradients that each have the SPM
// to themselves.
func (m *Model) twoRuns(c *evaluator.Cost, dx, dw *op, s *space.Schedule) bool {
	var ux, uw use
	m.own(c, &ux, dx, &s.Ops[space.DX], 0, 1, true, false)
	m.own(c, &uw, dw, &s.Ops[space.DW], 0, 1, true, false)
	c.SPMBytes = max(ux.total(), uw.total())
	return m.fits(&ux, dx.cores) && m.fits(&uw, dw.cores)
}

// own adds the regions of one operation. alone: its operations follow one
// another from first to last. A merged dY is counted with dx.
func (m *Model) own(c *evaluator.Cost, u *use, o *op, plan *space.OpSchedule, shared int, burst int64, alone, merged bool) {
	hw := &m.problem.HW
	for lacks := range space.NumDims {
		region := space.Region(o.kind.Tensor(lacks))
		isDY := lacks == space.K && o.kind != space.Fwd
		if isDY {
			switch {
			case merged && o.kind == space.DW:
				continue
			case merged:
				region = space.DYRegion
			case o.kind == space.DX:
				region = space.DYOfDX
			default:
				region = space.DYOfDW
			}
		}
		slots := o.slots(lacks, int(plan.Hold[lacks]), shared, burst, alone, isDY && merged)
		width := hw.BytesIn
		if lacks == o.kind.Reduction() {
			width = hw.BytesAcc
		}
		held := int64(1)
		if hw.SharedSPM {
			held = o.copies[lacks]
		}
		c.Slots[region] = slots
		u[role(o, lacks)] += slots * o.elems[lacks][0] * width * held
	}
}

// slots returns how many tiles a region holds (cost model section 3).
func (o *op) slots(lacks space.Dim, hold, shared int, burst int64, alone, merged bool) int64 {
	c := int64(1)
	changes := false // two neighbouring operations use different tiles
	for pos := range 3 {
		if o.order[pos] == lacks {
			continue
		}
		n := o.n[pos]
		switch {
		case merged && pos == 2 && hold == 3:
			c *= min(max(burst, 1), n)
		case pos >= hold:
			c *= n
		}
		switch {
		case n == 1:
		case alone || merged || pos >= shared:
			changes = true
		case shared == 3 && pos == 2:
			changes = changes || burst > 1
		}
	}
	if c == 1 && changes {
		return 2
	}
	return c
}
