package simulator_test

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/evaluator/cases"
	"github.com/npu-tune/npu-tune/evaluator/cases/golden"
	"github.com/npu-tune/npu-tune/evaluator/simulator"
	"github.com/npu-tune/npu-tune/space"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }

// TestRunGolden runs every golden case on the real SPM: nothing is refused,
// the SPM is used to the last slot or less, and stalls and timeline add up to
// the cost.
func TestRunGolden(t *testing.T) {
	all, err := golden.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range all {
		r, err := simulator.New().Run(t.Context(), &c.Problem, &c.Schedule, simulator.RunOptions{Buckets: 7})
		if err != nil {
			t.Errorf("case %d: %v", i, err)
			continue
		}
		if d := cases.Diff(&r.Cost, c.Expect); d != nil {
			t.Errorf("case %d: %v", i, d)
		}
		if !near(r.Stalls.Sum(), r.Cost.Cycles) {
			t.Errorf("case %d: stalls %+v sum to %v, cycles are %v", i, r.Stalls, r.Stalls.Sum(), r.Cost.Cycles)
		}
		var bytes, compute, peak float64
		for _, b := range r.Timeline {
			bytes += b.ReadBytes + b.WriteBytes
			compute += b.Compute
			peak = max(peak, b.Occupied)
		}
		batch := float64(c.Problem.Layer.Batches())
		if !near(bytes*batch, float64(r.Cost.DRAMBytes)) || !near(compute*batch, float64(r.Cost.ComputeCycles)) {
			t.Errorf("case %d: timeline has %v bytes, %v array cycles; cost %d, %d", i, bytes*batch, compute*batch, r.Cost.DRAMBytes, r.Cost.ComputeCycles)
		}
		checkAreas(t, i, r.Areas, c.Problem.Footprint(&c.Schedule))
		if peak > float64(r.PeakSPM)*(1+1e-9) || r.PeakSPM > r.Cost.SPMBytes {
			t.Errorf("case %d: mean occupancy up to %v, peak %d, plan %d bytes", i, peak, r.PeakSPM, r.Cost.SPMBytes)
		}
	}
}

// checkAreas: the SPM that the simulator runs on is laid out as results say.
func checkAreas(t *testing.T, i int, areas []simulator.Area, f space.Footprint) {
	t.Helper()
	var want []simulator.Area
	for _, u := range f.Uses() {
		want = append(want, simulator.Area{
			Run: int(u.Run), Region: u.Region, Pool: int(u.Pool), Offset: u.Offset,
			Slots: u.Slots, SlotBytes: u.TileBytes, Replicas: u.Copies,
		})
	}
	if diff := cmp.Diff(want, areas); diff != "" {
		t.Errorf("case %d: areas (-footprint +simulator):\n%s", i, diff)
	}
}

// TestStalls follows one schedule by hand: two operations of 10 cycles with
// loads of 20 bytes each and one result of 4, at one byte per cycle.
func TestStalls(t *testing.T) {
	p := small(space.Forward)
	p.Layer.M, p.Layer.N, p.Layer.K = 2, 2, 10
	p.HW.BytesPerCycle, p.HW.BytesIn, p.HW.BytesOut = 1, 1, 1
	s := space.Schedule{Pass: space.Forward}
	s.Ops[space.Fwd] = space.OpSchedule{
		Tile: [3]int64{2, 2, 5}, Order: space.Order{space.M, space.N, space.K},
		Hold: [3]uint8{space.M: 3, space.N: 3, space.K: 2},
	}
	r, err := simulator.New().Run(t.Context(), p, &s, simulator.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// Each operation takes 5 + 4 + 4 - 2 = 11 cycles and loads 2·5 + 5·2.
	want := simulator.Stalls{Prologue: 20, LoadBound: 20, ComputeBound: 11, Epilogue: 4}
	if r.Stalls != want {
		t.Errorf("stalls %+v, want %+v", r.Stalls, want)
	}
	for _, a := range []simulator.Area{
		{Region: space.XRegion, Offset: 0, Slots: 2, SlotBytes: 10, Replicas: 1},
		{Region: space.WRegion, Offset: 20, Slots: 2, SlotBytes: 10, Replicas: 1},
		{Region: space.YRegion, Offset: 40, Slots: 1, SlotBytes: 16, Replicas: 1},
	} {
		found := false
		for _, b := range r.Areas {
			found = found || a == b
		}
		if !found {
			t.Errorf("no area %+v among %+v", a, r.Areas)
		}
	}
	if r.PeakSPM != 56 {
		t.Errorf("peak of %d bytes, want 56", r.PeakSPM)
	}
}

func TestRunErrors(t *testing.T) {
	p, s := small(space.Backward), pair()
	p.HW.UnifiedSPM(100)
	if _, err := simulator.New().Run(t.Context(), p, &s, simulator.RunOptions{}); !errors.Is(err, simulator.ErrCapacity) {
		t.Errorf("SPM of 100 bytes: error %v, want ErrCapacity", err)
	}
	s.Shared = 9
	if _, err := simulator.New().Run(t.Context(), p, &s, simulator.RunOptions{}); !errors.Is(err, space.ErrIllegal) {
		t.Errorf("9 shared loops: error %v, want ErrIllegal", err)
	}
}
