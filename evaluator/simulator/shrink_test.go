package simulator_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/simulator"
	"github.com/npu-tune/npu-tune/evaluator/simulator/gen"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// structure is what shrinking must keep of one dimension of one operation.
type structure struct {
	steps                int64 // up to 4
	ragged, raggedShares bool
}

func structureOf(p *space.Problem, o *space.OpSchedule, d space.Dim) structure {
	share := p.Share(o, d)
	tile := min(o.Tile[d], share)
	return structure{min(space.CeilDiv(share, tile), 4), share%tile > 0, p.Dim(d)%o.Parts(d) > 0}
}

func checkShrunk(fail func(string, ...any), p, q *space.Problem, s, z *space.Schedule) {
	if err := q.Check(); err != nil {
		fail("shrunk to a bad problem: %v", err)
	}
	if err := q.Legal(z); err != nil {
		fail("shrunk to an illegal schedule: %v", err)
	}
	for _, op := range s.Pass.Ops() {
		a, b := &s.Ops[op], &z.Ops[op]
		if a.Order != b.Order || a.Hold != b.Hold || a.Cores != b.Cores || a.Dataflow != b.Dataflow || s.Shared != z.Shared {
			fail("%v: %+v became %+v", op, *a, *b)
		}
		for d := range space.NumDims {
			if was, is := structureOf(p, a, d), structureOf(q, b, d); was != is {
				fail("%v %v: %+v became %+v: extent %d tile %d to extent %d tile %d", op, d, was, is, p.Dim(d), a.Tile[d], q.Dim(d), b.Tile[d])
			}
		}
	}
	if simulator.Ops(q, z) > simulator.Ops(p, s) || q.Layer.MACs() > p.Layer.MACs() {
		fail("it grew")
	}
}

func TestShrinkLarge(t *testing.T) {
	gemm := models.Layer{M: 100_003, N: 4096, K: 11_008}
	conv := models.Layer{M: 32 * 56 * 56, N: 256, K: 64 * 9, Conv: &models.Conv{
		H: 56, W: 56, P: 56, Q: 56, R: 3, S: 3, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1, PadH: 1, PadW: 1,
	}}
	for _, c := range []struct {
		name       string
		layer      models.Layer
		dx, dw     [3]int64
		shared     uint8
		burst      int64
		ops        int64
		cores      [3]uint16
		limit      simulator.Limits
		macsAtMost int64
	}{
		{"interleaved", gemm, [3]int64{64, 128, 100}, [3]int64{64, 128, 77}, 2, 0, 2000, [3]uint16{}, simulator.Limits{Ops: 2000}, 0},
		{"bursts", gemm, [3]int64{64, 128, 100}, [3]int64{64, 128, 100}, 3, 7, 2000, [3]uint16{}, simulator.Limits{Ops: 2000}, 0},
		{"sequential", gemm, [3]int64{64, 128, 100}, [3]int64{500, 96, 11_008}, 0, 0, 2000, [3]uint16{2, 1, 4}, simulator.Limits{Ops: 2000}, 0},
		{"numbers", gemm, [3]int64{64, 128, 100}, [3]int64{64, 128, 77}, 2, 0, 2000, [3]uint16{}, simulator.Limits{Ops: 2000, MACs: 500_000}, 500_000},
		{"convolution", conv, [3]int64{56 * 4, 128, 27}, [3]int64{56 * 4, 128, 36}, 2, 0, 20_000, [3]uint16{}, simulator.Limits{Ops: 20_000}, 0},
		{"convolution with numbers", conv, [3]int64{56 * 4, 128, 27}, [3]int64{56 * 4, 128, 36}, 2, 0, 5000, [3]uint16{}, simulator.Limits{Ops: 5000, MACs: 2_000_000}, 2_000_000},
	} {
		p := space.Problem{Layer: c.layer, Pass: space.Backward}
		p.HW = hardware.Params{Rows: 8, Cols: 8, BytesPerCycle: 16, BytesIn: 2, BytesOut: 2, BytesAcc: 4}
		s := space.Schedule{Pass: space.Backward, Shared: c.shared, Burst: c.burst}
		o := space.OpSchedule{Order: space.Order{space.M, space.N, space.K}, Hold: [3]uint8{space.M: 3, space.N: 3, space.K: 2}, Cores: c.cores}
		s.Ops[space.DX], s.Ops[space.DW] = o, o
		s.Ops[space.DX].Tile, s.Ops[space.DW].Tile = c.dx, c.dw
		q, z := simulator.ShrinkTo(p, s, c.limit)
		checkShrunk(func(f string, a ...any) { t.Errorf(c.name+": "+f, a...) }, &p, &q, &s, &z)
		if n := simulator.Ops(&q, &z); n > c.ops {
			t.Errorf("%s: %d operations, want at most %d: %+v %+v", c.name, n, c.ops, q.Layer, z)
		}
		if n := q.Layer.MACs(); c.macsAtMost > 0 && n > c.macsAtMost {
			t.Errorf("%s: %d MACs, want at most %d: %+v %+v", c.name, n, c.macsAtMost, q.Layer, z)
		}
		if c.macsAtMost > 0 {
			if _, err := simulator.New().Replay(t.Context(), &q, &z, 1); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
}

// TestShrinkRandom shrinks anything as far as it goes.
func TestShrinkRandom(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		src := func(n int64) int64 { return rapid.Int64Range(0, n-1).Draw(rt, "choice") }
		p, s := gen.Case(src, gen.Options{MaxDim: 60, MaxOps: 1 << 20})
		q, z := simulator.ShrinkTo(p, s, simulator.Limits{Ops: 1, MACs: 1})
		checkShrunk(rt.Fatalf, &p, &q, &s, &z)
		results := make([]evaluator.Result, 1)
		if err := simulator.New().Evaluate(t.Context(), &q, []space.Schedule{z}, results); err != nil || results[0].Status != evaluator.OK {
			rt.Fatalf("%v %+v", err, results[0])
		}
	})
}

func TestShrinkKeepsTheCallers(t *testing.T) {
	p, s := small(space.Backward), pair()
	p.Layer = convolution(4, 8, 4, 1, models.Conv{H: 20, W: 20, R: 3, S: 3, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1})
	window := *p.Layer.Conv
	q, _ := simulator.Shrink(*p, s, 100)
	if *p.Layer.Conv != window {
		t.Errorf("the caller's window became %+v", *p.Layer.Conv)
	}
	if q.Layer.M >= p.Layer.M {
		t.Errorf("nothing shrank: %+v", q.Layer)
	}
	same, z := simulator.Shrink(*p, s, simulator.Ops(p, &s))
	if !same.Layer.SameProblem(p.Layer) || z != s {
		t.Error("a problem within its limit changed")
	}
}
