package tuner_test

import (
	"testing"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/search/tuner"
	"github.com/npu-tune/npu-tune/space"
)

// Layers that differ in nothing but their constraints are tuned apart; each
// best satisfies its own, hand-tuned schedules that do not say so.
func TestConstraints(t *testing.T) {
	hw := hardware.Params{Rows: 4, Cols: 4, BytesPerCycle: 2, BytesIn: 1, BytesOut: 1, BytesAcc: 4, Cores: 1}
	hw.UnifiedSPM(6000)
	model := models.Model{Name: "three", Layers: []models.Layer{
		{Name: "a", M: 40, N: 24, K: 32}, {Name: "b", M: 40, N: 24, K: 32}, {Name: "a2", M: 40, N: 24, K: 32},
	}}
	only := func(l models.Layer, pass space.Pass) (c space.Constraints) {
		if l.Name != "b" {
			return c
		}
		c.ReservedSPMBytes = 2000
		for _, op := range pass.Ops() {
			c.Ops[op] = space.OpConstraints{Dataflows: []hardware.Dataflow{hardware.WS}, TileMultiple: [3]int64{16, 16, 16}, NoPartialSums: true}
		}
		return c
	}
	r, err := tuner.Tune(t.Context(), tuner.Plan{Model: model, HW: hw, Baselines: true, Constraints: only, Top: 3})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Jobs) != 4 || r.Jobs[0].Layer.Count != 2 || r.Jobs[2].Layer.Name != "b" {
		t.Fatalf("%d jobs, want forward and backward of a (twice) and of b", len(r.Jobs))
	}
	for i := range r.Jobs {
		j := &r.Jobs[i]
		c := only(j.Layer, j.Pass)
		if j.Best() == nil || !j.Outcome.Proven {
			t.Fatalf("%s: best %v, proven %v", j.Name(), j.Best(), j.Outcome.Proven)
		}
		for _, s := range j.Outcome.Top {
			f := j.Problem.Footprint(&s.Schedule)
			if err := c.Allow(j.Problem, &s.Schedule); err != nil || f.Over(c.ReservedSPMBytes) > 0 {
				t.Errorf("%s: %v, %d bytes over", j.Name(), err, f.Over(c.ReservedSPMBytes))
			}
		}
		for _, b := range j.Baselines {
			if broken := b.Best != nil && b.Breaks != ""; j.Layer.Name == "a" && broken {
				t.Errorf("%s: %s breaks %s, want nothing to break", j.Name(), b.Name, b.Breaks)
			} else if b.Name == "conventional" && j.Layer.Name == "b" && !broken {
				t.Errorf("%s: conventional, which is output stationary, breaks nothing", j.Name())
			}
		}
	}
	if free, bound := r.Jobs[1].Best().Cost.Cycles, r.Jobs[3].Best().Cost.Cycles; bound <= free {
		t.Errorf("b takes %g cycles under constraints, a %g without", bound, free)
	}
}
