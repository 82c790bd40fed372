package gen

import (
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/space"
)

func (d drawer) schedule(p *space.Problem) space.Schedule {
	s := space.Schedule{Pass: p.Pass}
	for _, op := range p.Pass.Ops() {
		s.Ops[op] = d.op(p)
	}
	if p.Pass == space.Backward {
		d.pair(p, &s)
	}
	for _, op := range p.Pass.Ops() {
		d.hold(&s.Ops[op])
	}
	if p.Pass == space.Backward && !d.rarely(3) {
		// Levels drawn apart seldom agree on one dY region.
		d.alike(&s)
	}
	return s
}

func (d drawer) op(p *space.Problem) space.OpSchedule {
	var o space.OpSchedule
	o.Order = space.Orders[d.src(6)]
	var flows []hardware.Dataflow
	for f := range hardware.NumDataflows {
		if p.HW.HasDataflow(f) {
			flows = append(flows, f)
		}
	}
	o.Dataflow = one(d, flows...)
	for dim := range space.NumDims {
		if !d.OneCore && d.rarely(4) {
			o.Cores[dim] = uint16(d.between(1, 3))
		}
	}
	d.tiles(p, &o)
	return o
}

// tiles draws any extents, then grows them until there are few enough.
func (d drawer) tiles(p *space.Problem, o *space.OpSchedule) {
	for dim := range space.NumDims {
		share := p.Share(o, dim)
		o.Tile[dim] = d.between(1, share)
		if d.rarely(20) {
			o.Tile[dim] = share + 1 // means the share
		}
	}
	for {
		ops, longest, most := int64(1), space.M, int64(0)
		for dim := range space.NumDims {
			steps := space.CeilDiv(p.Share(o, dim), o.Tile[dim])
			ops *= steps
			if steps > most {
				longest, most = dim, steps
			}
		}
		if ops <= d.MaxOps || most == 1 {
			return
		}
		o.Tile[longest] = min(2*o.Tile[longest], p.Share(o, longest))
	}
}

// pair makes the second gradient agree with the first where it must, and now
// and then where it need not.
func (d drawer) pair(p *space.Problem, s *space.Schedule) {
	s.Shared = uint8(d.src(4))
	dx, dw := &s.Ops[space.DX], &s.Ops[space.DW]
	if s.Shared > 0 || d.rarely(2) {
		dw.Cores = dx.Cores
		d.tiles(p, dw)
	}
	if d.rarely(2) {
		dw.Tile[space.M], dw.Tile[space.N] = dx.Tile[space.M], dx.Tile[space.N]
	}
	if s.Shared > 0 {
		dw.Order = continued(dx.Order, dw.Order, int(s.Shared))
	}
	for _, dim := range dx.Order[:s.Shared] {
		dw.Tile[dim] = dx.Tile[dim]
	}
	if s.Shared == 3 && !d.rarely(3) {
		inner := dx.Order[2]
		s.Burst = d.between(1, space.CeilDiv(p.Share(dx, inner), dx.Tile[inner])+1)
	}
}

// continued returns the order that begins like first and goes on in the order
// of rest.
func continued(first, rest space.Order, shared int) space.Order {
	o, n := first, shared
	for _, dim := range rest {
		if first.Position(dim) > shared {
			o[n] = dim
			n++
		}
	}
	return o
}

// hold draws canonical hold levels: 0 or a loop that the tensor has.
func (d drawer) hold(o *space.OpSchedule) {
	for lacks := range space.NumDims {
		levels := []uint8{0}
		for i, dim := range o.Order {
			if dim != lacks {
				levels = append(levels, uint8(i+1))
			}
		}
		o.Hold[lacks] = one(d, levels...)
	}
}

// alike gives dY one level in both gradients, among the shared loops, where
// the level is canonical for both.
func (d drawer) alike(s *space.Schedule) {
	dx, dw := &s.Ops[space.DX], &s.Ops[space.DW]
	level := uint8(d.between(0, int64(s.Shared)))
	if s.Shared == 3 && d.rarely(3) {
		level = 3 // the blocks of bursts, which are the hardest
	}
	if level > 0 && (dx.Order[level-1] == space.K || dw.Order[level-1] == space.K) {
		return
	}
	dx.Hold[space.K], dw.Hold[space.K] = level, level
}
