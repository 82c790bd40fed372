package analytic

import (
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/space"
)

// coarse bounds the cycles of any box by its least compute and traffic, all
// stages together and those of each gradient by themselves.
func (m *Model) coarse(b *Box, scratch *Scratch, f *Figures) float64 {
	first, last := &scratch.ops[0], &scratch.ops[len(b.Ops)-1]
	edges := m.dma(first.prologue) + m.dma(last.epilogue)
	if len(b.Ops) == 1 {
		array := edges + float64(first.cycles) + m.sweepStall(first, first, edges, 0)
		moving := m.latency*float64(max(first.loads, first.writes)+1) + float64(first.bytes)/m.bytesPerCycle
		f.ComputeBound = array > moving
		scratch.array = array
		return max(array, moving)
	}
	dx, dw := first, last
	least := edges + float64(dx.cycles+dw.cycles)
	scratch.array = least
	moves := max(dx.loads+dw.loads, dx.writes+dw.writes) + 1
	if b.Plan.Shared == 3 {
		if b.BurstHi == 1 {
			// A stage of dx moves what dw needs, and the other way round.
			moves = max(moves, max(dw.loads, dw.writes-1)+max(dx.loads-1, dx.writes)+2)
			inDX := float64(dw.bytes-dw.epilogue)/m.bytesPerCycle + m.latency*float64(max(dw.loads, dw.writes-1))
			inDW := float64(dx.bytes-dx.prologue)/m.bytesPerCycle + m.latency*float64(max(dx.loads-1, dx.writes))
			least = max(least, edges+max(float64(dx.cycles)+m.sweepStall(dw, dx, edges, 0), inDX)+max(float64(dw.cycles)+m.sweepStall(dx, dw, edges, 0), inDW))
		}
	} else {
		// A gradient's stages move its own tiles, but for the first loads and
		// the last writes at each point of the shared loops.
		points := int64(1)
		for _, d := range dx.order[:b.Plan.Shared] {
			points *= space.CeilDiv(dx.d[d].extent, dx.d[d].lo)
		}
		stages, moving := 0.0, int64(0)
		for _, o := range [2]*opBound{dx, dw} {
			n := max(o.loads, o.writes) - points
			own := float64(o.bytes-points*o.edge)/m.bytesPerCycle + m.latency*float64(n)
			stages += max(float64(o.cycles)+m.sweepStall(o, o, edges, points), own)
			moving += n
		}
		least = max(least, edges+stages)
		moves = max(moves, moving+2)
	}
	moving := m.latency*float64(moves) + float64(dx.bytes+dw.bytes)/m.bytesPerCycle
	f.ComputeBound = least > moving
	return max(least, moving)
}

// stageBound bounds the cycles of a box whose loops all have known step
// counts, by the closed form. Of a single schedule it is the cost. Otherwise
//
//	Σ max(c, d) = Σ c + Σ (d − c)⁺ = Σ d + Σ (c − d)⁺
//
// over the stages, with c the array's cycles and d the transfers': the sum of
// one is known of the whole box, and what the other adds is at least what its
// least values add to the first one's largest. It stops at enough.
func (m *Model) stageBound(b *Box, scratch *Scratch, enough float64, computeBound bool) float64 {
	point, oneFlow := b.BurstLo == b.BurstHi, true
	for i, kind := range b.Ops {
		o := &scratch.ops[i]
		m.tables(o, kind, b)
		point = point && o.d[0].lo == o.d[0].hi && o.d[1].lo == o.d[1].hi && o.d[2].lo == o.d[2].hi
		oneFlow = oneFlow && o.oneFlow
	}
	if point {
		return m.run(b, scratch)
	}
	m.largest(b, scratch)
	least := 0.0
	if oneFlow && computeBound {
		least = m.overCompute(b, scratch)
	}
	if least < enough {
		least = max(least, m.overTransfers(b, scratch))
	}
	if least < enough {
		least = max(least, m.run(b, scratch))
	}
	if least < enough && oneFlow && !computeBound {
		least = max(least, m.overCompute(b, scratch))
	}
	return least
}

// largest prepares the operations with the box's largest extents.
func (m *Model) largest(b *Box, scratch *Scratch) {
	for i := range b.Ops {
		o, hi := &scratch.ops[i], &scratch.hi[i]
		hi.kind, hi.order, hi.q, hi.n, hi.one = o.kind, o.order, o.q, o.n, o.one
		hi.share, hi.parts, hi.cores, hi.split = o.share, o.parts, o.cores, o.split
		for d := range space.NumDims {
			hi.tile[d] = o.d[d].hi
			hi.last[d] = o.share[d] - (o.d[d].n-1)*o.d[d].lo
		}
	}
}

// overCompute is the array's least cycles plus what transfers of the least
// tiles add to the array's largest.
func (m *Model) overCompute(b *Box, scratch *Scratch) float64 {
	var least, most int64
	for i := range b.Ops {
		o, hi := &scratch.ops[i], &scratch.hi[i]
		hi.arrayTables(&m.problem.HW, o.flow)
		least += o.cycles
		most += hi.computeCycles
		o.compute, hi.compute = hi.compute, o.compute
	}
	sum := m.run(b, scratch) - float64(most) + float64(least)
	for i := range b.Ops {
		o, hi := &scratch.ops[i], &scratch.hi[i]
		o.compute, hi.compute = hi.compute, o.compute
	}
	return sum
}

// overTransfers is the least transfers plus what the array on the least tiles
// adds to the largest.
func (m *Model) overTransfers(b *Box, scratch *Scratch) float64 {
	var least, most int64
	for i := range b.Ops {
		o, hi := &scratch.ops[i], &scratch.hi[i]
		m.operands(hi, &o.outer, m.burstSteps(o, b))
		m.stageBytes(hi, o.kind != space.DW || !b.Merged)
		least += o.bytes
		for d := range space.NumDims {
			most += hi.readBytes[d] + hi.writeBytes[d]
		}
		o.stageTransfers, hi.stageTransfers = hi.stageTransfers, o.stageTransfers
	}
	sum := m.run(b, scratch) + float64(least-most)/m.bytesPerCycle
	for i := range b.Ops {
		o, hi := &scratch.ops[i], &scratch.hi[i]
		o.stageTransfers, hi.stageTransfers = hi.stageTransfers, o.stageTransfers
	}
	return sum
}

// burstSteps returns the number of bursts where they bound dY's blocks, else 0.
func (m *Model) burstSteps(o *opBound, b *Box) int64 {
	if b.Merged && b.Plan.Shared == 3 && o.kind == space.DX && o.hold[space.K] == 3 {
		return space.CeilDiv(o.n[2], b.BurstLo)
	}
	return 0
}

// tables fills the stage tables of the least extents.
func (m *Model) tables(o *opBound, kind space.Op, b *Box) {
	o.one = 0
	for pos, dim := range o.order {
		sp := &o.d[dim]
		o.tile[dim], o.last[dim] = sp.lo, sp.last
		if sp.n == 1 {
			o.one |= 1 << pos
		}
	}
	m.operands(&o.op, &o.outer, m.burstSteps(o, b))
	m.stageBytes(&o.op, kind != space.DW || !b.Merged)
	o.arrayTables(&m.problem.HW, o.flow)
	if o.oneFlow {
		return
	}
	for flow := range hardware.NumDataflows {
		if b.Flows[kind]>>flow&1 == 1 && flow != o.flow {
			least := o.compute
			o.arrayTables(&m.problem.HW, flow)
			for l := range least {
				o.compute[l] = min(o.compute[l], least[l])
			}
		}
	}
}

// run sums the stages of the prepared operations.
func (m *Model) run(b *Box, scratch *Scratch) float64 {
	first, second := &scratch.ops[0].op, &scratch.ops[1].op
	switch {
	case len(b.Ops) == 1:
		return m.single(first)
	case b.Plan.Shared == 3:
		if b.BurstLo == b.BurstHi {
			return m.bursts(first, second, min(b.BurstLo, first.n[2]))
		}
		return m.burstRange(first, second, b)
	}
	return m.pair(first, second, int(b.Plan.Shared))
}

// burstRange is the least of bursts over a range of bursts, all of two or more
// steps and shorter than the innermost loop. For a given length of the last
// burst the sum is linear in the number of bursts, and a last burst of three or
// more steps costs the same whatever its length.
func (m *Model) burstRange(dx, dw *op, b *Box) float64 {
	n := dx.n[2]
	few, many := space.CeilDiv(n, b.BurstHi), space.CeilDiv(n, b.BurstLo)
	at := func(count, rest int64) float64 {
		return m.inBursts(dx, dw, count, float64(n-rest)/float64(count-1), rest, false)
	}
	three := at(few, 3)
	least := min(three, at(few, 1), at(few, 2))
	if many > few {
		least = min(least, least+at(many, 3)-three)
	}
	return least
}

// boundsBursts reports whether the box's bursts are one, or a range that
// burstRange covers.
func (b *Box) boundsBursts(innermost int64) bool {
	return b.BurstLo == b.BurstHi || b.BurstLo >= 2 && b.BurstHi < innermost
}
