package analytic

import (
	"github.com/npu-tune/npu-tune/space"
)

// sweepStall bounds the cycles that an operation's transfers add to the array
// cycles of the stages that hide them, because transfers come in bunches: a
// tensor that does not reload moves while the loop that it lacks is at one of
// its steps, and the array has only that step's share of its work to hide it
// behind. busy is the operation whose stages those are; edges are cycles of
// the first load and last write, counted elsewhere; points is the number of
// times that the operation begins and ends within the run, where transfers
// fall into the other gradient's stages.
func (m *Model) sweepStall(o, busy *opBound, edges float64, points int64) float64 {
	stall := 0.0
	if !busy.oneFlow {
		return 0
	}
	for pos, lacks := range o.order {
		if o.moved[lacks] == 0 || int(o.outer[lacks]) > pos {
			continue // it may move at other steps too
		}
		bytes := o.moved[lacks]
		moves, step := int64(1), o.d[lacks].lo
		if lacks == o.kind.Reduction() {
			step = o.d[lacks].last // outputs move at the last step
		}
		for other := range space.NumDims {
			if other == lacks {
				continue
			}
			moves *= o.d[other].n
			if o.reloads[other] && other != o.kind.Reduction() && !(m.implicit && other == space.N) {
				bytes += o.moved[other] / o.d[lacks].extent * step
			}
		}
		moved := float64(bytes-points*o.edge)/m.bytesPerCycle + m.latency*float64(moves-points) - edges
		if moved > stall {
			stall = max(stall, moved-float64(m.sweepCycles(busy, lacks)))
		}
	}
	return stall
}

// sweepCycles bounds from above the array cycles of the operations at one step
// of the loop of d.
func (m *Model) sweepCycles(o *opBound, d space.Dim) int64 {
	hw := &m.problem.HW
	dr, dc, dt, fill := arrayDims(hw, o.kind, o.flow)
	most := o.d[dr].mostFolds(hw.Rows, dr == d) * o.d[dc].mostFolds(hw.Cols, dc == d)
	ops := int64(1)
	for x := range space.NumDims {
		if x != d {
			ops *= o.d[x].nMost
		}
	}
	t := &o.d[dt]
	if !hw.Pipelined {
		if dt == d {
			return most * (t.hi + fill)
		}
		return most * (t.extent + t.nMost*fill)
	}
	return most*t.mostT(hw.Rows, dt == d) + fill*ops
}

// mostFolds bounds Σ⌈t/by⌉ from above: of all tiles, or of one.
func (sp *span) mostFolds(by int64, one bool) int64 {
	switch {
	case one:
		return space.CeilDiv(sp.hi, by)
	case sp.fixed:
		return (sp.n-1)*space.CeilDiv(sp.hi, by) + space.CeilDiv(sp.extent-(sp.n-1)*sp.lo, by)
	}
	return (sp.extent + sp.nMost*(by-1)) / by
}

// mostT bounds Σ max(t, rows) from above: of all tiles, or of one.
func (sp *span) mostT(rows int64, one bool) int64 {
	switch {
	case one:
		return max(sp.hi, rows)
	case sp.fixed:
		return (sp.n-1)*max(sp.hi, rows) + max(sp.extent-(sp.n-1)*sp.lo, rows)
	}
	return sp.extent + sp.nMost*max(rows-min(sp.lo, rows), 0) + rows
}
