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

// span is what is known of one dimension of an operation in a box.
type span struct {
	extent     int64 // the core's share
	lo, hi     int64 // tile extents
	n          int64 // least number of steps
	last       int64 // the last tile's least extent
	fixed      bool  // n is the number of steps everywhere in the box
	sumR, sumC int64 // least Σ⌈t/rows⌉ and Σ⌈t/columns⌉ over the tiles
	sumT       int64 // least Σ of the array's T over the tiles
	nMost      int64 // most steps
	// Of an implicit convolution's m, the pixels of one channel that tiles of
	// the extents lo, hi and last touch; of its k, the channels.
	window, windowHi, windowLast int64
}

// span fills what is known of a dimension, and reports whether it is not as it
// was.
func (m *Model) span(sp *span, d space.Dim, extent, lo, hi int64) bool {
	hi = min(hi, extent)
	lo = min(lo, hi)
	if sp.extent == extent && sp.lo == lo && sp.hi == hi {
		return false
	}
	m.fillSpan(sp, extent, lo, hi)
	switch {
	case !m.implicit || d == space.N:
	case d == space.M:
		c := m.problem.Layer.Conv
		sp.window, sp.windowHi = space.Pixels(c, lo), space.Pixels(c, hi)
		sp.windowLast = space.Pixels(c, sp.last)
	default:
		sp.window, sp.windowHi = space.CeilDiv(lo, m.window), space.CeilDiv(hi, m.window)
		sp.windowLast = space.CeilDiv(sp.last, m.window)
	}
	return true
}

func (m *Model) fillSpan(sp *span, extent, lo, hi int64) {
	hw := &m.problem.HW
	*sp = span{extent: extent, lo: lo, hi: hi, n: space.CeilDiv(extent, hi), last: 1}
	n := sp.n
	sp.nMost = n
	if lo < hi {
		sp.nMost = space.CeilDiv(extent, lo)
	}
	sp.fixed = n == sp.nMost
	sp.sumR, sp.sumC = space.CeilDiv(extent, hw.Rows), space.CeilDiv(extent, hw.Cols)
	sp.sumT = extent
	if !sp.fixed {
		sp.sumR, sp.sumC = max(sp.sumR, n), max(sp.sumC, n)
		if hw.Pipelined {
			sp.sumT = max(extent, n*hw.Rows)
		}
		return
	}
	sp.last = extent - (n-1)*hi
	if n > 1 {
		sp.sumR = max(sp.sumR, (n-1)*space.CeilDiv(lo, hw.Rows)+space.CeilDiv(sp.last, hw.Rows))
		sp.sumC = max(sp.sumC, (n-1)*space.CeilDiv(lo, hw.Cols)+space.CeilDiv(sp.last, hw.Cols))
	}
	if hw.Pipelined {
		sp.sumT = max(extent, (n-1)*max(lo, hw.Rows)+max(sp.last, hw.Rows))
	}
}

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

// boundTraffic bounds bytes, the first loads, the last write and the number
// of operations that load something.
func (m *Model) boundTraffic(o *opBound, b *Box) {
	hw := &m.problem.HW
	out := o.kind.Reduction()
	o.bytes, o.access, o.edge, o.prologue, o.loads = 0, 0, 0, 0, 0
	all := o.n[0] * o.n[1] * o.n[2]
	zeros := [2]int64{1, 1} // steps of the loops at whose first step an input loads
	inputs := 0
	for lacks := range space.NumDims {
		ownY := lacks == space.K && o.kind != space.Fwd
		o.moved[lacks], o.reloads[lacks] = 0, false
		if ownY && b.Merged && o.kind == space.DW {
			continue
		}
		steps := o.n[o.q[lacks]]
		reload := o.mustReload(lacks, b, ownY && b.Merged)
		whole := m.wholeBound(o, lacks)
		o.reloads[lacks] = reload
		if lacks != out {
			visits := int64(1)
			if reload {
				visits = steps
				o.loads = all
			}
			zeros[inputs] = steps
			inputs++
			o.moved[lacks] = whole * visits * hw.BytesIn * o.copies[lacks]
			o.bytes += o.moved[lacks]
			o.access += whole * visits * hw.BytesIn * o.cores
			o.prologue += m.leastTile(o, lacks) * hw.BytesIn * o.copies[lacks]
			o.edge += m.largestTile(o, lacks) * hw.BytesIn * o.copies[lacks]
			continue
		}
		final := hw.BytesOut
		if o.split {
			final = hw.BytesAcc
		}
		each := whole * final
		o.writes = all / steps
		if reload {
			o.writes = all
			each += whole * 2 * (steps - 1) * hw.BytesAcc
			o.loads = max(o.loads, all/steps*(steps-1))
		}
		o.moved[lacks] = each * o.cores
		o.bytes += o.moved[lacks]
		o.access += each * o.cores
		o.edge += 2 * m.largestTile(o, lacks) * hw.BytesAcc * o.cores
		o.epilogue = m.lastTile(o, lacks) * final * o.cores
	}
	if o.loads == all {
		return
	}
	if inputs == 2 {
		o.loads = max(o.loads, all/(zeros[0]*zeros[1])*(zeros[0]+zeros[1]-1))
	} else {
		o.loads = max(o.loads, all/zeros[0])
	}
}

// leastTile, largestTile and lastTile return the elements of an operand's
// tiles of the least and largest extents, and of the least last tile.
func (m *Model) leastTile(o *opBound, lacks space.Dim) int64 {
	x, y := ownDims(lacks)
	a, b := &o.d[x], &o.d[y]
	if lacks == space.N && m.implicit {
		return min(a.lo*b.lo, a.window*b.window)
	}
	return a.lo * b.lo
}

func (m *Model) largestTile(o *opBound, lacks space.Dim) int64 {
	x, y := ownDims(lacks)
	a, b := &o.d[x], &o.d[y]
	if lacks == space.N && m.implicit {
		return min(a.hi*b.hi, a.windowHi*b.windowHi)
	}
	return a.hi * b.hi
}

func (m *Model) lastTile(o *opBound, lacks space.Dim) int64 {
	x, y := ownDims(lacks)
	a, b := &o.d[x], &o.d[y]
	if lacks == space.N && m.implicit {
		return min(a.last*b.last, a.windowLast*b.windowLast)
	}
	return a.last * b.last
}

// mustReload reports whether the operand reloads in every schedule of the box.
func (o *opBound) mustReload(lacks space.Dim, b *Box, merged bool) bool {
	inner := -1
	for pos := range int(o.outer[lacks]) {
		if o.order[pos] == lacks {
			continue
		}
		n := o.n[pos]
		if merged && pos == 2 && b.Plan.Shared == 3 {
			n = space.CeilDiv(n, b.BurstHi)
		}
		if n > 1 {
			inner = pos
		}
	}
	return int(o.q[lacks]) < inner
}

// wholeBound bounds the elements of all tiles of one core's share of an
// operand.
func (m *Model) wholeBound(o *opBound, lacks space.Dim) int64 {
	x, y := ownDims(lacks)
	if lacks != space.N || !m.implicit {
		return o.share[x] * o.share[y]
	}
	sm, sk := &o.d[space.M], &o.d[space.K]
	perChannel := m.pixelRatio(sm.hi)
	least := int64(float64(sm.extent) * float64(sk.extent) * min(1, perChannel/float64(m.window)) * (1 - 1e-12))
	if sm.fixed {
		least = max(least, (sm.n-1)*m.stripBound(sk, sm.lo, sm.window)+m.stripBound(sk, sm.last, sm.windowLast))
	}
	return least
}

// stripBound bounds the elements of X's tiles with tm rows, which touch so many
// pixels, all k.
func (m *Model) stripBound(sk *span, tm, pixels int64) int64 {
	if sk.lo == sk.hi {
		return (sk.n-1)*min(tm*sk.lo, sk.window*pixels) + min(tm*sk.last, sk.windowLast*pixels)
	}
	// A core's share of k need not be whole channels; of a part of a channel,
	// either all pixels count or all of its elements.
	return min(tm*sk.extent, sk.extent*pixels/m.window)
}

// pixelRatio returns the least input pixels per output pixel of one channel in
// tiles of at most tm output pixels.
func (m *Model) pixelRatio(tm int64) float64 {
	if len(m.ratio) == 0 {
		return 0
	}
	return m.ratio[min(tm, int64(len(m.ratio)))-1]
}

// maxRatios bounds the table of pixel ratios: an output image of 2²¹ pixels.
const maxRatios = 1 << 21

// pixelRatios tabulates pixelRatio for tiles up to one image; larger tiles
// have no better ratio, since each of their images has at least this one's.
func (m *Model) pixelRatios() {
	c := m.problem.Layer.Conv
	image := min(c.P*c.Q, m.problem.Layer.M)
	if image > maxRatios {
		return
	}
	m.ratio = make([]float64, image)
	least := float64(space.Pixels(c, 1))
	for t := range image {
		least = min(least, float64(space.Pixels(c, t+1))/float64(t+1))
		m.ratio[t] = least
	}
}

// boundArray bounds array cycles and SPM accesses over the allowed dataflows.
func (m *Model) boundArray(o *opBound, flows uint8) {
	hw := &m.problem.HW
	rows, cols, red := o.kind.Rows(), o.kind.Columns(), o.kind.Reduction()
	a, b, r := &o.d[rows], &o.d[cols], &o.d[red]
	ops := o.n[0] * o.n[1] * o.n[2]
	leastAccess := int64(-1)
	o.cycles, o.fill = -1, 2*hw.Rows+hw.Cols
	for flow := range hardware.NumDataflows {
		if flows>>flow&1 == 0 {
			continue
		}
		fill := hw.Rows + hw.Cols - 2
		var sr, sc, t *span
		var inputs, partials int64
		switch flow {
		case hardware.OS:
			sr, sc, t = a, b, r
			inputs = a.extent*r.extent*sc.sumC + r.extent*b.extent*sr.sumR
			partials = r.n
		case hardware.WS:
			sr, sc, t = r, b, a
			fill += hw.Rows
			inputs = r.extent*b.extent*a.n + a.extent*r.extent*sc.sumC
			partials = sr.sumR
		default:
			sr, sc, t = r, a, b
			fill += hw.Rows
			inputs = a.extent*r.extent*b.n + r.extent*b.extent*sc.sumC
			partials = sr.sumR
		}
		o.fill = min(o.fill, fill)
		sum := t.sumT
		var cycles int64
		if hw.Pipelined {
			cycles = sr.sumR*sc.sumC*sum + fill*ops
		} else {
			cycles = sr.sumR * sc.sumC * (sum + t.n*fill)
		}
		if o.cycles < 0 || cycles < o.cycles {
			o.cycles, o.flow = cycles, flow
		}
		access := inputs*hw.BytesIn + a.extent*b.extent*(2*partials-1)*hw.BytesAcc
		if leastAccess < 0 || access < leastAccess {
			leastAccess = access
		}
	}
	o.access += leastAccess * o.cores
}

// boundRegions bounds the SPM bytes of the operation's regions. A merged dY
// counts with dx.
func (m *Model) boundRegions(o *opBound, b *Box, alone bool, shared int) {
	hw := &m.problem.HW
	o.use, o.common = use{}, 0
	for lacks := range space.NumDims {
		merged := b.Merged && lacks == space.K && o.kind != space.Fwd
		x, y := ownDims(lacks)
		hold := o.hold[lacks]
		var extent [2]int64
		times := int64(1)
		changes := false
		for i, d := range [2]space.Dim{x, y} {
			sp := &o.d[d]
			pos := o.q[d]
			extent[i] = sp.lo
			switch {
			case merged && pos == 2 && hold == 3 && shared == 3:
				times = min(b.BurstLo, sp.n)
			case pos >= hold:
				extent[i] = max(sp.extent, sp.n*sp.lo)
			}
			switch {
			case sp.n == 1:
			case alone || merged || int(pos) >= shared:
				changes = true
			case shared == 3 && pos == 2 && b.BurstLo > 1:
				changes = true
			}
		}
		width := hw.BytesIn
		if lacks == o.kind.Reduction() {
			width = hw.BytesAcc
		}
		if hw.SharedSPM {
			width *= o.copies[lacks]
		}
		o.weight[lacks] = float64(width)
		if lacks == space.N && m.implicit {
			o.weight[lacks] *= min(1, m.pixelRatio(o.d[space.M].hi)/float64(m.window))
		}
		if merged {
			o.weight[lacks] /= 2 // each gradient pays half of what both use
			if o.kind == space.DW {
				if changes {
					o.weight[lacks] *= 2
				}
				continue
			}
		}
		elements := times * m.blockBound(o, lacks, extent)
		if changes {
			o.weight[lacks] *= 2
			elements = max(elements, 2*m.leastTile(o, lacks))
		}
		o.use[role(&o.op, lacks)] += elements * width
		if merged {
			o.common = elements * width
		}
	}
}

// blockBound bounds the elements of a block of the given extents.
func (m *Model) blockBound(o *opBound, lacks space.Dim, extent [2]int64) int64 {
	product := extent[0] * extent[1]
	if lacks != space.N || !m.implicit {
		return product
	}
	sm, sk := &o.d[space.M], &o.d[space.K]
	pixels := sm.window
	if extent[0] != sm.lo {
		pixels = max(int64(float64(sm.extent)*m.pixelRatio(sm.hi)*(1-1e-12)), sm.n*pixels)
	}
	channels := sk.window
	if extent[1] != sk.lo {
		channels = max(space.CeilDiv(sk.extent, m.window), sk.n*channels)
	}
	return min(product, channels*pixels)
}
