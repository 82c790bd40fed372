package analytic

import (
	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/space"
)

// Model costs schedules of one problem. It is immutable and safe for
// concurrent use.
type Model struct {
	problem       space.Problem
	dims          [space.NumDims]int64
	implicit      bool
	batch         int64
	latency       float64
	bytesPerCycle float64
	window        int64     // R·S of an implicit convolution
	ratio         []float64 // least input pixels per output pixel, by the tile's rows
}

// New prepares a problem, which must pass its Check.
func New(p *space.Problem) *Model {
	m := &Model{
		problem:       *p,
		implicit:      p.Implicit(),
		batch:         p.Layer.Batches(),
		latency:       float64(p.HW.DMALatency),
		bytesPerCycle: p.HW.BytesPerCycle,
	}
	for d := range space.NumDims {
		m.dims[d] = p.Dim(d)
	}
	return m
}

// NewBounding prepares a problem for bounds over boxes too.
func NewBounding(p *space.Problem) *Model {
	m := New(p)
	if m.implicit {
		m.window = p.Layer.Conv.R * p.Layer.Conv.S
		m.pixelRatios()
	}
	return m
}

// Problem returns the problem that the model costs.
func (m *Model) Problem() *space.Problem { return &m.problem }

// Cost fills c with the cost of a legal schedule and reports whether its
// regions fit the SPM. An illegal schedule gives figures without meaning.
func (m *Model) Cost(s *space.Schedule, c *evaluator.Cost) (fits bool) {
	*c = evaluator.Cost{}
	var a, b op
	switch s.Pass {
	case space.Forward, space.DWOnly:
		kind := space.Fwd
		if s.Pass == space.DWOnly {
			kind = space.DW
		}
		return m.Single(kind, &s.Ops[kind], c)
	default:
		fits = m.backward(s, c, &a, &b)
	}
	m.finish(c)
	return fits
}

// Single fills c with the cost of one operation that runs alone, and reports
// whether it fits the SPM. The gradients of a backward pass that share neither
// loops nor dY are two such runs.
func (m *Model) Single(kind space.Op, plan *space.OpSchedule, c *evaluator.Cost) (fits bool) {
	*c = evaluator.Cost{}
	var o op
	m.prepare(&o, kind, plan, 0, true)
	m.add(c, &o)
	c.Cycles = m.single(&o) + m.reduction(c, &o)
	var u use
	m.own(c, &u, &o, plan, 0, 1, true, false)
	c.SPMBytes = u.total()
	fits = m.fits(&u, o.cores)
	m.finish(c)
	return fits
}

// backward costs a pass of two gradients.
func (m *Model) backward(s *space.Schedule, c *evaluator.Cost, dx, dw *op) (fits bool) {
	sx, sw := &s.Ops[space.DX], &s.Ops[space.DW]
	merged := m.mergesDY(s)
	burst := int64(0)
	bursts := int64(0)
	if s.Shared == 3 {
		d := sx.Order[2]
		share := space.CeilDiv(m.dims[d], sx.Parts(d))
		steps := space.CeilDiv(share, min(sx.Tile[d], share))
		burst = min(max(s.Burst, 1), steps)
		if merged && sx.Hold[space.K] == 3 {
			bursts = space.CeilDiv(steps, burst)
		}
	}
	m.prepare(dx, space.DX, sx, bursts, true)
	m.prepare(dw, space.DW, sw, 0, !merged)
	m.add(c, dx)
	m.add(c, dw)
	switch {
	case s.Shared == 0 && !merged:
		c.Cycles = m.single(dx) + m.single(dw)
	case s.Shared == 3:
		c.Cycles = m.bursts(dx, dw, burst)
	default:
		c.Cycles = m.pair(dx, dw, int(s.Shared))
	}
	c.Cycles += m.reduction(c, dx) + m.reduction(c, dw)
	if s.Shared == 0 && !merged {
		return m.twoRuns(c, dx, dw, s)
	}
	return m.regions(c, dx, dw, s, merged)
}

// mergesDY reports whether dY is one region of both gradients (cost model
// section 3).
func (m *Model) mergesDY(s *space.Schedule) bool {
	dx, dw := &s.Ops[space.DX], &s.Ops[space.DW]
	h := dx.Hold[space.K]
	if h != dw.Hold[space.K] || h > s.Shared {
		return false
	}
	for d := range space.NumDims {
		if dx.Parts(d) != dw.Parts(d) {
			return false
		}
	}
	for _, d := range [2]space.Dim{space.M, space.N} {
		if dx.Order.Position(d) <= int(h) {
			continue // walked together, so the tiles agree
		}
		share := space.CeilDiv(m.dims[d], dx.Parts(d))
		if min(dx.Tile[d], share) != min(dw.Tile[d], share) {
			return false
		}
	}
	return true
}

// add adds an operation's integer figures to c.
func (m *Model) add(c *evaluator.Cost, o *op) {
	c.Ops += o.ops
	c.ComputeCycles += o.computeCycles
	for lacks := range space.NumDims {
		t := &c.Traffic[o.kind.Tensor(lacks)]
		t.Read += o.readBytes[lacks]
		t.Write += o.writeBytes[lacks]
	}
	c.SPMAccessBytes += (o.accessBytes + o.dmaBytes) * o.cores
	c.MACs += m.dims[0] * m.dims[1] * m.dims[2]
}

// reduction adds the traffic that sums the partial results of several cores
// and returns its stage's cycles (cost model section 6).
func (m *Model) reduction(c *evaluator.Cost, o *op) float64 {
	if !o.split {
		return 0
	}
	hw := &m.problem.HW
	out := o.kind.Reduction()
	e := m.outputElements(out)
	read, write := o.parts[out]*e*hw.BytesAcc, e*hw.BytesOut
	t := &c.Traffic[o.kind.Tensor(out)]
	t.Read += read
	t.Write += write
	c.ReductionBytes += read + write
	c.SPMAccessBytes += read + write
	return m.dma(read + write)
}

// outputElements returns the elements of the whole output that lacks d.
func (m *Model) outputElements(d space.Dim) int64 {
	a, b := ownDims(d)
	return m.elements(d, m.dims[a], m.dims[b])
}

// reductionBytes returns what reduction moves.
func (m *Model) reductionBytes(o *op) int64 {
	hw := &m.problem.HW
	out := o.kind.Reduction()
	return m.outputElements(out) * (o.parts[out]*hw.BytesAcc + hw.BytesOut)
}

// finish multiplies by the batch and adds up.
func (m *Model) finish(c *evaluator.Cost) {
	for t := range c.Traffic {
		c.Traffic[t].Read *= m.batch
		c.Traffic[t].Write *= m.batch
		c.DRAMBytes += c.Traffic[t].Read + c.Traffic[t].Write
	}
	c.ReductionBytes *= m.batch
	c.ComputeCycles *= m.batch
	c.Cycles *= float64(m.batch)
	c.MACs *= m.batch
	c.SPMAccessBytes *= m.batch
	e := &m.problem.HW.Energy
	c.EnergyPJ = float64(c.MACs)*e.MACPJ + float64(c.SPMAccessBytes)*e.SPMPJPerByte +
		float64(c.DRAMBytes)*e.DRAMPJPerByte + c.Cycles*e.StaticPJPerCycle
}

// role returns which SPM pool's share an operand takes.
func role(o *op, lacks space.Dim) hardware.Role {
	switch {
	case lacks == o.kind.Reduction():
		return hardware.Accumulators
	case lacks == space.M:
		return hardware.Weights
	}
	return hardware.Inputs
}
