package analytic

import "github.com/npu-tune/npu-tune/space"

// stageBound bounds the cycles of a box whose loops all have known step
// counts: the closed form on the least extents, and the box's least compute
// plus the stalls that even the largest tiles cannot hide. compute is the
// least compute of all tiles.
func (m *Model) stageBound(b *Box, scratch *Scratch, compute int64) float64 {
	ops := b.Ops
	point := true
	for i, kind := range ops {
		o := &scratch.ops[i]
		m.tables(o, kind, b)
		point = point && o.d[0].lo == o.d[0].hi && o.d[1].lo == o.d[1].hi && o.d[2].lo == o.d[2].hi
	}
	least := m.run(b, scratch)
	if point {
		return least
	}
	// Σ max(c, d) = Σ c + Σ (d − c)⁺, with c's exact sum and bounds on the rest.
	var large int64
	for i, kind := range ops {
		o, hi := &scratch.ops[i], &scratch.hi[i]
		*hi = op{kind: kind, order: o.order, q: o.q, n: o.n, share: o.share}
		for d := range space.NumDims {
			hi.tile[d] = o.d[d].hi
			hi.last[d] = o.share[d] - (o.d[d].n-1)*o.d[d].lo
		}
		hi.arrayTables(&m.problem.HW, o.flow)
		o.compute = hi.compute
		large += hi.computeCycles
	}
	return max(least, m.run(b, scratch)-float64(large)+float64(compute))
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
	bursts := int64(0)
	if b.Merged && b.Plan.Shared == 3 && kind == space.DX && o.hold[space.K] == 3 {
		bursts = space.CeilDiv(o.n[2], b.BurstLo)
	}
	m.operands(&o.op, &o.hold, bursts)
	m.stageBytes(&o.op, kind != space.DW || !b.Merged)
	o.arrayTables(&m.problem.HW, o.flow)
}

// run sums the stages of the prepared operations.
func (m *Model) run(b *Box, scratch *Scratch) float64 {
	first, second := &scratch.ops[0].op, &scratch.ops[1].op
	switch {
	case len(b.Ops) == 1:
		return m.single(first)
	case b.Plan.Shared == 3:
		return m.bursts(first, second, min(b.BurstLo, first.n[2]))
	}
	return m.pair(first, second, int(b.Plan.Shared))
}
