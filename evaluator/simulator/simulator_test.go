package simulator_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/simulator"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

func small(pass space.Pass) *space.Problem {
	p := &space.Problem{Layer: models.Layer{M: 12, N: 10, K: 7}, Pass: pass}
	p.HW = hardware.Params{Rows: 4, Cols: 4, BytesPerCycle: 2, BytesIn: 2, BytesOut: 2, BytesAcc: 4}
	return p
}

// pair is a legal backward schedule of small: dY is one region.
func pair() space.Schedule {
	o := space.OpSchedule{Tile: [3]int64{5, 4, 3}, Order: space.Order{space.M, space.N, space.K}, Hold: [3]uint8{3, 3, 2}}
	o.Hold = [3]uint8{space.M: 3, space.N: 3, space.K: 2}
	s := space.Schedule{Pass: space.Backward, Shared: 2}
	s.Ops[space.DX], s.Ops[space.DW] = o, o
	return s
}

func evaluate(t *testing.T, p *space.Problem, s space.Schedule) evaluator.Result {
	t.Helper()
	results := make([]evaluator.Result, 1)
	if err := simulator.New().Evaluate(t.Context(), p, []space.Schedule{s}, results); err != nil {
		t.Fatal(err)
	}
	return results[0]
}

func TestIllegal(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*space.Problem, *space.Schedule)
		want   string
	}{
		{"pass", func(p *space.Problem, _ *space.Schedule) { p.Pass = space.DWOnly }, "want dw"},
		{"tile", func(_ *space.Problem, s *space.Schedule) { s.Ops[space.DX].Tile[space.K] = 0 }, "dx.tile.k is 0"},
		{"order", func(_ *space.Problem, s *space.Schedule) { s.Ops[space.DW].Order[0] = space.K }, "want each of m, n and k once"},
		{"hold", func(_ *space.Problem, s *space.Schedule) { s.Ops[space.DX].Hold[space.K] = 3 }, "dx.hold.dy is 3"},
		{"deep hold", func(_ *space.Problem, s *space.Schedule) { s.Ops[space.DX].Hold[space.K] = 4 }, "dx.hold.dy is 4"},
		{"dataflow", func(p *space.Problem, s *space.Schedule) { p.HW.Dataflows[hardware.WS] = true }, "dx.dataflow is os"},
		{"cores", func(p *space.Problem, s *space.Schedule) {
			p.HW.Cores = 3
			s.Ops[space.DX].Cores, s.Ops[space.DW].Cores = [3]uint16{2, 2, 1}, [3]uint16{2, 2, 1}
		}, "uses 4 cores"},
		{"unlike cores", func(p *space.Problem, s *space.Schedule) { s.Ops[space.DW].Cores[space.N] = 2 }, "want the same where loops are shared"},
		{"shared order", func(_ *space.Problem, s *space.Schedule) {
			s.Ops[space.DW].Order = space.Order{space.M, space.K, space.N}
			s.Ops[space.DW].Hold = [3]uint8{}
		}, "shared loop 2 is n in dx.order and k in dw.order"},
		{"shared tile", func(_ *space.Problem, s *space.Schedule) { s.Ops[space.DW].Tile[space.N]++ }, "dx.tile.n is 4 and dw.tile.n 5"},
		{"shared loops", func(_ *space.Problem, s *space.Schedule) { s.Shared = 4 }, "shared is 4 loops"},
		{"burst", func(_ *space.Problem, s *space.Schedule) { s.Burst = 2 }, "burst is 2 with 2 shared loops"},
	} {
		p, s := small(space.Backward), pair()
		c.change(p, &s)
		r := evaluate(t, p, s)
		if r.Status != evaluator.Illegal || !strings.Contains(r.Reason, c.want) {
			t.Errorf("%s: status %d, %q; want illegal with %q", c.name, r.Status, r.Reason, c.want)
		}
	}
}

func TestTilesBeyondTheShare(t *testing.T) {
	p, s := small(space.Backward), pair()
	s.Ops[space.DX].Tile, s.Ops[space.DW].Tile = [3]int64{12, 10, 7}, [3]int64{99, 10, 8}
	big := evaluate(t, p, s)
	s.Ops[space.DW].Tile = [3]int64{12, 10, 7}
	if got := evaluate(t, p, s); big != got || got.Status != evaluator.OK {
		t.Errorf("a tile beyond the dimension costs %+v, the whole dimension %+v", big, got)
	}
}

func TestInfeasible(t *testing.T) {
	p, s := small(space.Backward), pair()
	need := evaluate(t, p, s).Cost.SPMBytes
	for _, c := range []struct {
		bytes  int64
		status evaluator.Status
	}{{0, evaluator.OK}, {need, evaluator.OK}, {need - 1, evaluator.Infeasible}} {
		p.HW.UnifiedSPM(c.bytes)
		if r := evaluate(t, p, s); r.Status != c.status || r.Cost.SPMBytes != need {
			t.Errorf("SPM of %d bytes: status %d with %d bytes, want %d with %d", c.bytes, r.Status, r.Cost.SPMBytes, c.status, need)
		}
	}
}

// TestPools divides the SPM: X and dY, W, dX and dW have one each.
func TestPools(t *testing.T) {
	p, s := small(space.Backward), pair()
	c := evaluate(t, p, s).Cost
	need := [hardware.NumRoles]int64{
		hardware.Inputs:       c.Slots[space.XRegion]*5*3*2 + c.Slots[space.DYRegion]*5*4*2,
		hardware.Weights:      c.Slots[space.WRegion] * 4 * 3 * 2,
		hardware.Accumulators: c.Slots[space.DXRegion]*5*3*4 + c.Slots[space.DWRegion]*4*3*4,
	}
	if sum := need[0] + need[1] + need[2]; sum != c.SPMBytes {
		t.Fatalf("roles need %v = %d bytes, the schedule %d", need, sum, c.SPMBytes)
	}
	for role := range hardware.NumRoles {
		for _, less := range []int64{0, 1} {
			p.HW.NPools = 3
			p.HW.PoolOf = [hardware.NumRoles]uint8{0, 1, 2}
			for i, n := range need {
				p.HW.Pools[i].Bytes = n
			}
			p.HW.Pools[role].Bytes -= less
			if r := evaluate(t, p, s); (r.Status == evaluator.Infeasible) != (less > 0) {
				t.Errorf("pool %d has %d bytes too few: status %d", role, less, r.Status)
			}
		}
	}
}

func TestTooLarge(t *testing.T) {
	p, s := small(space.Backward), pair()
	results := make([]evaluator.Result, 1)
	sim := &simulator.Simulator{MaxOps: 53}
	if err := sim.Evaluate(t.Context(), p, []space.Schedule{s}, results); err != nil {
		t.Fatal(err)
	}
	if r := results[0]; r.Status != evaluator.Unsupported || !strings.Contains(r.Reason, "54, the limit is 53") {
		t.Errorf("54 operations with a limit of 53: %+v", r)
	}
}

func TestEvaluateErrors(t *testing.T) {
	sim := simulator.New()
	p, s := small(space.Backward), []space.Schedule{pair()}
	if err := sim.Evaluate(t.Context(), p, s, nil); err == nil {
		t.Error("no room for results: no error")
	}
	for _, change := range []func(*space.Problem){
		func(p *space.Problem) { p.Layer.M = 0 },
		func(p *space.Problem) { p.HW.Rows = 0 },
		func(p *space.Problem) { p.HW.BytesPerCycle = 0 },
		func(p *space.Problem) { p.HW.BytesAcc = 0 },
	} {
		bad := *p
		change(&bad)
		if err := sim.Evaluate(t.Context(), &bad, s, make([]evaluator.Result, 1)); !errors.Is(err, simulator.ErrProblem) {
			t.Errorf("%+v: error %v, want ErrProblem", bad, err)
		}
	}
}

// TestCancelled ends the context inside one long schedule.
func TestCancelled(t *testing.T) {
	p, s := small(space.Forward), space.Schedule{Pass: space.Forward}
	p.Layer = models.Layer{M: 300, N: 300, K: 300}
	s.Ops[space.Fwd] = space.OpSchedule{Tile: [3]int64{1, 1, 1}, Order: space.Order{space.M, space.N, space.K}}
	ctx := &endsAfter{Context: t.Context(), looks: 5}
	err := simulator.New().Evaluate(ctx, p, []space.Schedule{s}, make([]evaluator.Result, 1))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// endsAfter is a context that is cancelled once it has been asked some times.
type endsAfter struct {
	context.Context
	looks int
}

func (c *endsAfter) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}
