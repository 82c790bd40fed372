package analytic

import (
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/space"
)

// op is one operation of a schedule, prepared for summing over its stages.
// Loops are known by position, 0 outermost; sets of loops are bit masks over
// positions, and tables are indexed by the set of loops at their last step.
type op struct {
	kind  space.Op
	order space.Order
	parts [space.NumDims]int64 // by Dim
	cores int64

	share, tile, last [space.NumDims]int64 // by Dim: the core's extent, the tile's, the last tile's
	n                 [3]int64             // steps, by position
	one               uint8                // loops of one step
	q                 [space.NumDims]uint8 // position of each Dim's loop
	reload            [space.NumDims]bool  // by lacked Dim
	elems             [space.NumDims][8]int64
	copies            [space.NumDims]int64
	split             bool // the reduction is split over cores

	stageTransfers
	compute [8]int64 // the array's cycles of an operation

	ops           int64
	computeCycles int64
	accessBytes   int64    // SPM accesses of the array, section 7's table
	readBytes     [3]int64 // all cores', by lacked Dim
	writeBytes    [3]int64
	dmaBytes      int64 // one core's
}

// stageTransfers are the bytes that stages move: always + Σ first[q] over the
// loops q at their first step are loaded for an operation, write is written
// after it.
type stageTransfers struct {
	always [8]int64
	first  [3][8]int64
	write  [8]int64
}

// prepare fills everything that the cost of the operation alone depends on.
// mergedDY: dY is one region of both gradients; bursts is then the number of
// bursts where it is held at level 3 with three shared loops, else 0. loadsDY
// is false for the gradient that finds dY loaded by the other.
func (m *Model) prepare(o *op, kind space.Op, s *space.OpSchedule, bursts int64, loadsDY bool) {
	hw := &m.problem.HW
	m.place(o, kind, s)
	o.one = 0
	for pos, d := range s.Order {
		tile := min(s.Tile[d], o.share[d])
		n := space.CeilDiv(o.share[d], tile)
		o.n[pos] = n
		o.tile[d], o.last[d] = tile, o.share[d]-(n-1)*tile
		if n == 1 {
			o.one |= 1 << pos
		}
	}
	m.operands(o, &s.Hold, bursts)
	m.stageBytes(o, loadsDY)
	o.arrayTables(hw, s.Dataflow)
	o.ops = o.n[0] * o.n[1] * o.n[2]
}

// place fills what does not depend on tile extents: the core's share of each
// dimension and where its loop is.
func (m *Model) place(o *op, kind space.Op, s *space.OpSchedule) {
	o.kind, o.order = kind, s.Order
	o.cores = s.CoreCount()
	for d := range space.NumDims {
		o.parts[d] = s.Parts(d)
		o.share[d] = m.dims[d]
		if o.parts[d] > 1 {
			o.share[d] = space.CeilDiv(m.dims[d], o.parts[d])
		}
	}
	for pos, d := range s.Order {
		o.q[d] = uint8(pos)
	}
	o.split = o.parts[kind.Reduction()] > 1
}

// operands finds for each operand whether it reloads, its tiles' elements and
// how many copies cross the DRAM interface.
func (m *Model) operands(o *op, held *[space.NumDims]uint8, bursts int64) {
	for lacks := range space.NumDims {
		hold := int(held[lacks])
		inner := -1 // the innermost own loop at or outside the hold level with more than one step
		for pos := range hold {
			if o.order[pos] == lacks {
				continue
			}
			n := o.n[pos]
			if lacks == space.K && pos == 2 && bursts > 0 {
				n = bursts
			}
			if n > 1 {
				inner = pos
			}
		}
		o.reload[lacks] = int(o.q[lacks]) < inner
		if n := o.n[o.q[lacks]]; n == 1 {
			o.reload[lacks] = false
		}
		o.copies[lacks] = m.copiesOf(o, lacks)
	}
	for lacks := range space.NumDims {
		a, b := ownDims(lacks)
		var e [4]int64
		e[0] = m.elements(lacks, o.tile[a], o.tile[b])
		e[1] = m.elements(lacks, o.last[a], o.tile[b])
		e[2] = m.elements(lacks, o.tile[a], o.last[b])
		e[3] = m.elements(lacks, o.last[a], o.last[b])
		qa, qb := o.q[a], o.q[b]
		for l := range uint8(8) {
			o.elems[lacks][l] = e[l>>qa&1|(l>>qb&1)<<1]
		}
	}
}

// copiesOf returns how many copies of an operand cross the DRAM interface: one
// for each core, or for each distinct part of an input.
func (m *Model) copiesOf(o *op, lacks space.Dim) int64 {
	hw := &m.problem.HW
	if lacks != o.kind.Reduction() && (hw.Multicast || hw.SharedSPM) {
		return o.cores / o.parts[lacks]
	}
	return o.cores
}

// ownDims returns the two dimensions of the tensor that lacks d, in the order
// of Dim.
func ownDims(d space.Dim) (a, b space.Dim) {
	switch d {
	case space.M:
		return space.N, space.K
	case space.N:
		return space.M, space.K
	}
	return space.M, space.N
}

// elements returns the elements of a tile of the tensor that lacks d.
func (m *Model) elements(lacks space.Dim, a, b int64) int64 {
	if lacks == space.N && m.implicit {
		return m.problem.XElements(a, b)
	}
	return a * b
}

// stageBytes fills what is loaded for and written after an operation, and the
// traffic of the whole.
func (m *Model) stageBytes(o *op, loadsDY bool) {
	hw := &m.problem.HW
	out := o.kind.Reduction()
	o.always, o.first = [8]int64{}, [3][8]int64{}
	o.readBytes, o.writeBytes = [3]int64{}, [3]int64{}
	o.dmaBytes = 0
	for lacks := range space.NumDims {
		if lacks == space.K && o.kind != space.Fwd && !loadsDY {
			continue
		}
		q := o.q[lacks]
		steps := o.n[q]
		whole := o.wholeElements(lacks)
		if lacks != out {
			width := hw.BytesIn * o.copies[lacks]
			to := &o.first[q]
			visits := int64(1)
			if o.reload[lacks] {
				to, visits = &o.always, steps
			}
			for l := range 8 {
				to[l] += o.elems[lacks][l] * width
			}
			o.readBytes[lacks] = whole * visits * width
			o.dmaBytes += whole * visits * hw.BytesIn
			continue
		}
		final := hw.BytesOut
		if o.split {
			final = hw.BytesAcc
		}
		acc := hw.BytesAcc * o.copies[lacks]
		for l := range uint8(8) {
			e := o.elems[lacks][l]
			switch {
			case l>>q&1 == 1:
				o.write[l] = e * final * o.copies[lacks]
			case o.reload[lacks]:
				o.write[l] = e * acc
			default:
				o.write[l] = 0
			}
			if o.reload[lacks] {
				o.always[l] += e * acc
				o.first[q][l] -= e * acc
			}
		}
		again := int64(0)
		if o.reload[lacks] {
			again = steps - 1
		}
		o.readBytes[lacks] = whole * again * acc
		o.writeBytes[lacks] = whole*again*acc + whole*final*o.copies[lacks]
		o.dmaBytes += whole * (2*again*hw.BytesAcc + final)
	}
}

// wholeElements returns the elements of all tiles of one core's share of the
// tensor that lacks the dimension.
func (o *op) wholeElements(lacks space.Dim) int64 {
	a, b := ownDims(lacks)
	na, nb := o.n[o.q[a]], o.n[o.q[b]]
	la, lb := uint8(1)<<o.q[a], uint8(1)<<o.q[b]
	e := &o.elems[lacks]
	return (na-1)*(nb-1)*e[0] + (nb-1)*e[la] + (na-1)*e[lb] + e[la|lb]
}

// arrayDims returns which dimensions of an operation's tiles run over the
// array's rows, over its columns and through time, and the cycles of a fill
// (cost model section 5).
func arrayDims(hw *hardware.Params, kind space.Op, flow hardware.Dataflow) (rows, columns, time space.Dim, fill int64) {
	fill = hw.Rows + hw.Cols - 2
	switch flow {
	case hardware.OS:
		return kind.Rows(), kind.Columns(), kind.Reduction(), fill
	case hardware.WS:
		return kind.Reduction(), kind.Columns(), kind.Rows(), fill + hw.Rows
	}
	return kind.Reduction(), kind.Rows(), kind.Columns(), fill + hw.Rows
}

// arrayTables fills the array's cycles and SPM accesses (cost model sections 5
// and 7).
func (o *op) arrayTables(hw *hardware.Params, flow hardware.Dataflow) {
	rows, cols, red := o.kind.Rows(), o.kind.Columns(), o.kind.Reduction()
	dr, dc, dt, fill := arrayDims(hw, o.kind, flow)
	fr := [2]int64{space.CeilDiv(o.tile[dr], hw.Rows), space.CeilDiv(o.last[dr], hw.Rows)}
	fc := [2]int64{space.CeilDiv(o.tile[dc], hw.Cols), space.CeilDiv(o.last[dc], hw.Cols)}
	tt := [2]int64{o.tile[dt], o.last[dt]}
	once := fill
	if hw.Pipelined {
		tt[0], tt[1] = max(tt[0], hw.Rows), max(tt[1], hw.Rows)
	} else {
		tt[0], tt[1] = tt[0]+fill, tt[1]+fill
		once = 0
	}
	qr, qc, qt := o.q[dr], o.q[dc], o.q[dt]
	for l := range uint8(8) {
		o.compute[l] = fr[l>>qr&1]*fc[l>>qc&1]*tt[l>>qt&1] + once
	}
	nr, nc, nt := o.n[qr]-1, o.n[qc]-1, o.n[qt]-1
	sumR, sumC, sumT := nr*fr[0]+fr[1], nc*fc[0]+fc[1], nt*tt[0]+tt[1]
	o.computeCycles = sumR*sumC*sumT + once*(nr+1)*(nc+1)*(nt+1)

	// Accesses: sums over tiles are products of sums over each dimension.
	A, B, R := o.share[rows], o.share[cols], o.share[red]
	var inputs int64
	partials := int64(0) // Σ folds_r over the reduction's tiles
	switch flow {
	case hardware.OS:
		inputs = A*R*sumC + R*B*sumR
		partials = o.n[o.q[red]]
	case hardware.WS:
		inputs = R*B*o.n[o.q[rows]] + A*R*sumC
		partials = sumR
	default:
		inputs = A*R*o.n[o.q[cols]] + R*B*sumC
		partials = sumR
	}
	o.accessBytes = inputs*hw.BytesIn + A*B*(2*partials-1)*hw.BytesAcc
}
