package analytic

import (
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/space"
)

// Box is a set of schedules of one run (one operation, or two gradients that
// share loops or dY): those of Plan, with every hold level, tile extent,
// dataflow and burst within the box's limits.
type Box struct {
	// Ops are the run's operations: one, or DX and DW.
	Ops []space.Op
	// Plan gives shared loops, orders and cores; all else of it is ignored.
	// Boxes bounded with one Scratch that have the same Key, if it is not 0,
	// have equal plans, so that what follows from the plan need not be worked
	// out again.
	Key  int
	Plan *space.Schedule
	// Merged says that dY is one region of both gradients.
	Merged bool
	// Hold and Outer are hold levels of each operand, the same or two of which
	// the box has both: the inner, which takes less SPM, and the outer, which
	// moves less.
	Hold, Outer [space.NumOps][space.NumDims]uint8
	// Lo and Hi bound the tile extents, indexed by Op and Dim: 1 ≤ Lo ≤ Hi.
	Lo, Hi [space.NumOps][space.NumDims]int64
	// Flows are the dataflows of each operation, as a mask 1<<Dataflow.
	Flows [space.NumOps]uint8
	// BurstLo and BurstHi bound the burst where three loops are shared.
	BurstLo, BurstHi int64
	// Enough is a bound on cycles that is good enough: no more is spent to
	// find a better one. With 0 no bound on cycles is computed.
	Enough float64
}

// Figures are lower bounds on the figures of every schedule of a box.
type Figures struct {
	Cycles    float64
	DRAMBytes int64
	EnergyPJ  float64
	SPMBytes  int64
	Fits      bool // false: no schedule of the box fits the SPM
	// Fixed says that Cycles comes from the closed form: the step counts of
	// all loops are the same in the whole box.
	Fixed bool
	// ComputeBound says that array cycles decide the bound on cycles, so that
	// the choice of a dataflow may raise it.
	ComputeBound bool
}

// EDP returns the lower bound on the energy-delay product, pJ·cycles.
func (f *Figures) EDP() float64 { return f.EnergyPJ * f.Cycles }

// opBound is what is known of one operation in a box.
type opBound struct {
	op                   // place, and in fine bounds the tables of the least extents
	plan        int      // the Key of the box whose place it holds
	key         boundKey // of the last bound, if known
	known       bool
	hold, outer [space.NumDims]uint8
	d           [space.NumDims]span

	flow     hardware.Dataflow // the one of least compute
	oneFlow  bool
	cycles   int64                // least array cycles
	bytes    int64                // least DRAM bytes, all cores
	access   int64                // least SPM accesses, all cores
	edge     int64                // most bytes loaded before or written after one operation
	prologue int64                // least bytes loaded for the first operation
	epilogue int64                // least bytes written after the last
	moved    [space.NumDims]int64 // least bytes of each operand, all cores
	reloads  [space.NumDims]bool  // it moves at every operation
	loads    int64                // least number of operations that load something
	writes   int64                // least number of operations that write something
	use      use
	common   int64                  // of use, a dY of both gradients
	fill     int64                  // least fill of an operation, cycles
	weight   [space.NumDims]float64 // least bytes of SPM per element of each operand's tile
}

// Bound fills f with lower bounds on the figures of all schedules in the box.
// scratch is working memory that the caller may reuse.
func (m *Model) Bound(b *Box, f *Figures, scratch *Scratch) {
	ops := b.Ops
	shared := int(b.Plan.Shared)
	var u use
	fixed := true
	for i, kind := range ops {
		o := &scratch.ops[i]
		m.boundOp(o, kind, b, len(ops) == 1, shared)
		scratch.bounded[i] = o.use.total() - o.common
		scratch.used[i] = o.use
		for r := range u {
			u[r] += o.use[r]
		}
		fixed = fixed && o.d[0].fixed && o.d[1].fixed && o.d[2].fixed
	}
	fixed = fixed && b.boundsBursts(scratch.ops[0].n[2])
	f.Fixed = fixed
	f.SPMBytes = u.total()
	if f.Fits = m.fits(&u, scratch.ops[0].cores); !f.Fits {
		return
	}
	var bytes, extra, access int64
	reduction := 0.0
	for i := range ops {
		o := &scratch.ops[i]
		bytes += o.bytes
		access += o.access
		if o.split {
			sum := m.reductionBytes(&o.op)
			extra += sum
			access += sum
			reduction += m.dma(sum)
		}
	}
	if b.Enough > 0 {
		f.Cycles = m.coarse(b, scratch, f)
		if f.ComputeBound && !fixed {
			f.Cycles = max(f.Cycles, scratch.array+m.moreFill(b, scratch))
		}
		f.Cycles += reduction
		if enough := b.Enough / float64(m.batch); fixed && f.Cycles < enough {
			f.Cycles = max(f.Cycles, m.stageBound(b, scratch, enough-reduction, f.ComputeBound)+reduction)
		}
		f.Cycles *= float64(m.batch)
	}
	f.DRAMBytes = (bytes + extra) * m.batch
	e := &m.problem.HW.Energy
	macs := float64(m.dims[0]*m.dims[1]*m.dims[2]) * float64(m.batch) * float64(len(ops))
	f.EnergyPJ = macs*e.MACPJ + float64(access*m.batch)*e.SPMPJPerByte + float64(f.DRAMBytes)*e.DRAMPJPerByte + f.Cycles*e.StaticPJPerCycle
}

// Fits reports whether some schedule of the box may fit the SPM: false is
// certain. The box is that of the last Bound but for tile extents of the
// operations in changed (a mask of positions in Ops).
func (m *Model) Fits(b *Box, scratch *Scratch, changed uint8) bool {
	var u use
	for i, kind := range b.Ops {
		o := &scratch.ops[i]
		used := &scratch.used[i]
		if changed>>i&1 == 1 {
			m.spans(o, kind, b)
			o.known = false
			m.boundRegions(o, b, len(b.Ops) == 1, int(b.Plan.Shared))
			used = &o.use
		}
		for r := range u {
			u[r] += used[r]
		}
	}
	return m.fits(&u, scratch.ops[0].cores)
}

// Scratch is working memory of Bound.
type Scratch struct {
	ops     [2]opBound
	hi      [2]op
	used    [2]use   // of the last Bound
	bounded [2]int64 // its bytes of each gradient alone
	array   float64  // its bound on cycles by the array alone
}

// boundOp fills what is known of one operation.
func (m *Model) boundOp(o *opBound, kind space.Op, b *Box, alone bool, shared int) {
	key := boundKey{b.Flows[kind], b.Merged, b.Hold[kind], b.Outer[kind], b.BurstLo, b.BurstHi}
	if changed := m.spans(o, kind, b); !changed && o.known && o.key == key {
		return // as in the box before
	}
	o.known, o.key = true, key
	m.boundTraffic(o, b)
	m.boundArray(o, b.Flows[kind])
	m.boundRegions(o, b, alone, shared)
}

// boundKey is all of a box that an operation's bounds depend on, but for its
// spans.
type boundKey struct {
	flows            uint8
	merged           bool
	hold, outer      [space.NumDims]uint8
	burstLo, burstHi int64
}

// inputCopies fills how many copies of each operand cross the DRAM interface.
func (m *Model) inputCopies(o *opBound) {
	for lacks := range space.NumDims {
		o.copies[lacks] = m.copiesOf(&o.op, lacks)
	}
}

// spans fills what is known of an operation's dimensions, and reports whether
// anything is not as it was.
func (m *Model) spans(o *opBound, kind space.Op, b *Box) (changed bool) {
	plan := &b.Plan.Ops[kind]
	if o.plan != b.Key || b.Key == 0 {
		o.plan, o.known = b.Key, false
		m.place(&o.op, kind, plan)
		m.inputCopies(o)
	}
	o.hold, o.outer = b.Hold[kind], b.Outer[kind]
	o.oneFlow = b.Flows[kind]&(b.Flows[kind]-1) == 0
	for d := range space.NumDims {
		if m.span(&o.d[d], d, o.share[d], b.Lo[kind][d], b.Hi[kind][d]) {
			changed = true
		}
	}
	for pos, d := range o.order {
		o.n[pos] = o.d[d].n
	}
	return changed
}
