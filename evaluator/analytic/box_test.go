package analytic_test

import (
	"math/rand/v2"
	"testing"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/evaluator/simulator/gen"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/space"
)

// TestBoundNeverExceedsCost draws schedules, boxes that they are in, and SPMs
// that they just fit, and holds every bound of the box to the schedule's cost.
func TestBoundNeverExceedsCost(t *testing.T) {
	boxes, tight := 100_000, 0
	if testing.Short() {
		boxes = 20_000
	}
	for seed := range uint64(boxes) {
		p, s := gen.Case(gen.Seeded(seed), gen.Options{MaxDim: []int64{12, 60, 700}[seed%3], MaxOps: 1 << 40})
		r := rand.New(rand.NewPCG(seed, 1))
		ops, costs := runsOf(&p, &s)
		for i := range ops {
			q, c := p, costs[i]
			if r.IntN(2) == 0 { // as little SPM as the schedule needs
				q.HW.UnifiedSPM(spmPerCore(&q, &s, ops[i], c.SPMBytes))
				tight++
			}
			b := randomBox(r, &q, &s, ops[i])
			var f analytic.Figures
			var scratch analytic.Scratch
			m := analytic.NewBounding(&q)
			m.Bound(&b, &f, &scratch)
			if !f.Fits || !m.Fits(&b, &scratch, 3) {
				t.Fatalf("seed %d: the box is said not to fit, but one of its schedules does\nproblem %+v\nschedule %+v\nbox %+v", seed, q, s, b)
			}
			over := func(a, b float64) bool { return a > b*(1+1e-9)+1e-9 }
			if over(f.Cycles, c.Cycles) || f.DRAMBytes > c.DRAMBytes || over(f.EnergyPJ, c.EnergyPJ) || f.SPMBytes > c.SPMBytes {
				t.Fatalf("seed %d: bounds %+v exceed the cost of a schedule in the box:\n%+v\nproblem %+v\nwindow %+v\nschedule %+v\nbox %+v",
					seed, f, c, q, q.Layer.Conv, s, b)
			}
		}
	}
	t.Logf("%d schedules, %d of them with as little SPM as they need", boxes, tight)
}

// runsOf returns the runs of a schedule, as lists of operations, with their
// costs.
func runsOf(p *space.Problem, s *space.Schedule) ([][]space.Op, []evaluator.Cost) {
	m := analytic.New(p)
	if s.Pass == space.Backward && p.TwoRuns(s) {
		var costs [2]evaluator.Cost
		for i, op := range s.Pass.Ops() {
			m.Single(op, &s.Ops[op], &costs[i])
		}
		return [][]space.Op{{space.DX}, {space.DW}}, costs[:]
	}
	var c evaluator.Cost
	m.Cost(s, &c)
	return [][]space.Op{s.Pass.Ops()}, []evaluator.Cost{c}
}

// spmPerCore returns the SPM per core with which a run of so many SPM bytes
// just fits.
func spmPerCore(p *space.Problem, s *space.Schedule, ops []space.Op, bytes int64) int64 {
	if p.HW.SharedSPM {
		return space.CeilDiv(bytes, s.Ops[ops[0]].CoreCount())
	}
	return bytes
}

// randomBox draws a box that a run of the schedule is in.
func randomBox(r *rand.Rand, p *space.Problem, s *space.Schedule, ops []space.Op) analytic.Box {
	b := analytic.Box{Ops: ops, Plan: s, Enough: 1e300, Merged: len(ops) == 2 && p.SharesDY(s)}
	width := r.IntN(4)
	around := func(t, share int64) (int64, int64) {
		t = min(t, share)
		switch width {
		case 0:
			return t, t
		case 1: // near
			return max(t-r.Int64N(3), 1), min(t+r.Int64N(3), share)
		case 2: // the same number of steps
			n := space.CeilDiv(share, t)
			lo, hi := space.CeilDiv(share, n), share
			if n > 1 {
				hi = space.CeilDiv(share, n-1) - 1
			}
			return t - r.Int64N(t-lo+1), t + r.Int64N(hi-t+1)
		}
		return 1 + r.Int64N(t), t + r.Int64N(share-t+1)
	}
	for i, op := range ops {
		o := &s.Ops[op]
		for d := range space.NumDims {
			b.Lo[op][d], b.Hi[op][d] = around(o.Tile[d], p.Share(o, d))
			same := i == 1 && (o.Order.Position(d) <= int(s.Shared) ||
				b.Merged && d != space.K && o.Order.Position(d) > int(o.Hold[space.K]))
			if same {
				b.Lo[op][d], b.Hi[op][d] = b.Lo[ops[0]][d], b.Hi[ops[0]][d]
			}
			b.Hold[op][d], b.Outer[op][d] = o.Hold[d], o.Hold[d]
			if isDY := d == space.K && op != space.Fwd; !isDY || len(ops) == 1 {
				widenHold(r, o, d, &b.Hold[op][d], &b.Outer[op][d])
			}
		}
		b.Flows[op] = 1 << o.Dataflow
		for f := range hardware.NumDataflows {
			if r.IntN(3) == 0 {
				b.Flows[op] |= 1 << f
			}
		}
	}
	b.BurstLo, b.BurstHi = 1, 1
	if s.Shared == 3 {
		n := max(s.Burst, 1)
		b.BurstLo, b.BurstHi = n-r.Int64N(n), n+r.Int64N(4)
		if r.IntN(3) == 0 {
			b.BurstLo, b.BurstHi = n, n
		} else if n >= 2 {
			b.BurstLo = max(b.BurstLo, 2)
		}
	}
	return b
}

// widenHold makes a hold level a choice of two of which it is one.
func widenHold(r *rand.Rand, o *space.OpSchedule, lacks space.Dim, inner, outer *uint8) {
	if r.IntN(2) == 0 {
		return
	}
	for h := uint8(0); h <= 3; h++ {
		if int(h) == o.Order.Position(lacks) {
			continue
		}
		if h > *inner && r.IntN(2) == 0 {
			*inner = h
		}
		if h < *outer && r.IntN(2) == 0 {
			*outer = h
		}
	}
}
