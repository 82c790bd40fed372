package space

import "fmt"

// MinSPMBytes returns the bytes of SPM with which some schedule fits, and no
// fewer with one core: one-element tiles or whole extents, the deepest holds,
// the gradients one after the other or interleaved.
func (p *Problem) MinSPMBytes() int64 {
	s := p.Smallest()
	f := p.Footprint(&s)
	return f.SPMBytes()
}

// Room returns an error that says how many bytes of SPM would do if no
// schedule on one core fits, nil otherwise. Reserved bytes are taken from each
// core's first pool.
func (p *Problem) Room(reserved int64) error {
	s := p.smallest(reserved)
	f := p.Footprint(&s)
	if f.Over(reserved) == 0 {
		return nil
	}
	if p.HW.NPools == 1 {
		return fmt.Errorf("%w for one element tile: it has %d bytes, %d would do",
			ErrCapacity, p.HW.SPMBytes(), f.SPMBytes()+reserved)
	}
	var has, need [len(f.runs[0].pools)]int64
	for i := range p.HW.NPools {
		has[i], need[i] = p.HW.Pools[i].Bytes, f.PoolBytes(i)
	}
	need[0] += reserved
	return fmt.Errorf("%w for one element tile: its pools have %d bytes, %d would do",
		ErrCapacity, has[:p.HW.NPools], need[:p.HW.NPools])
}

// Smallest returns a schedule on one core that exceeds the SPM by the least,
// and of those takes the fewest bytes.
func (p *Problem) Smallest() Schedule { return p.smallest(0) }

// smallest tries every schedule that can take the fewest bytes. For a given
// set of loops of one step bytes rise with the extents, so an extent is either
// 1 or the whole dimension; a tensor of one operation is held deepest.
func (p *Problem) smallest(reserved int64) Schedule {
	best := best{p: p, reserved: reserved}
	for _, order := range Orders {
		if p.Pass != Backward {
			op := p.Pass.Ops()[0]
			for whole := range uint8(8) {
				s := Schedule{Pass: p.Pass}
				s.Ops[op] = p.corner(op, order, whole)
				best.try(s)
			}
			continue
		}
		for _, other := range Orders {
			p.smallestPairs(&best, order, other)
		}
	}
	return best.s
}

// smallestPairs tries the pairs of gradients with given orders: alternating
// tile by tile as far as the orders are alike, with dY one region or two.
func (p *Problem) smallestPairs(best *best, a, b Order) {
	for whole := range uint8(64) {
		s := Schedule{Pass: Backward}
		dx, dw := &s.Ops[DX], &s.Ops[DW]
		*dx, *dw = p.corner(DX, a, whole&7), p.corner(DW, b, whole>>3)
		for s.Shared = 0; ; s.Shared++ {
			if s.Shared == 3 {
				s.Burst = 1
			}
			best.try(s)
			for _, h := range HoldLevels(a, K) {
				if h <= s.Shared {
					t := s
					t.Ops[DX].Hold[K], t.Ops[DW].Hold[K] = h, h
					if p.SharesDY(&t) {
						best.try(t)
					}
				}
			}
			if i := s.Shared; i == 3 || a[i] != b[i] || dx.Tile[a[i]] != dw.Tile[a[i]] {
				break
			}
		}
	}
}

// corner returns an operation whose extents are 1, or whole where a bit is
// set, and which holds each tensor at the innermost loop that it has.
func (p *Problem) corner(op Op, order Order, whole uint8) OpSchedule {
	o := OpSchedule{Order: order, Tile: [NumDims]int64{1, 1, 1}}
	for d := range NumDims {
		if whole&(1<<d) != 0 {
			o.Tile[d] = p.Dim(d)
		}
		o.Hold[d] = HoldLevels(order, d)[2]
	}
	for !p.HW.HasDataflow(o.Dataflow) {
		o.Dataflow++
	}
	return o
}

// best keeps the smallest of the schedules tried.
type best struct {
	p        *Problem
	reserved int64
	s        Schedule
	over     int64
	bytes    int64
	found    bool
}

func (b *best) try(s Schedule) {
	f := b.p.Footprint(&s)
	over, bytes := f.Over(b.reserved), f.SPMBytes()
	if !b.found || over < b.over || over == b.over && bytes < b.bytes {
		b.s, b.over, b.bytes, b.found = s, over, bytes, true
	}
}
