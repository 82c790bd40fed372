package tuner

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

// candidate costs cycles, 10 bytes a cycle of which dY 1, 2 pJ a cycle, and
// 100 bytes of SPM.
func candidate(cycles float64) search.Candidate {
	c := evaluator.Cost{Cycles: cycles, DRAMBytes: int64(10 * cycles), EnergyPJ: 2 * cycles, MACs: 7, SPMBytes: 100}
	c.Traffic[space.GradY].Read = int64(cycles)
	return search.Candidate{Cost: c}
}

func totalsJob(pass space.Pass, count int64, cycles, bound float64, baselines ...Baseline) Job {
	return Job{
		Layer: models.Layer{Count: count}, Pass: pass, Baselines: baselines,
		Outcome: search.Outcome{Top: []search.Candidate{candidate(cycles)}, Bound: bound, Proven: bound == cycles},
	}
}

func TestTotals(t *testing.T) {
	by := func(name string, cycles float64) Baseline {
		c := candidate(cycles)
		return Baseline{Name: name, Best: &c, Proven: true}
	}
	r := &Result{Jobs: []Job{
		totalsJob(space.Forward, 2, 100, 100, by("a", 150), by("b", 110)),
		totalsJob(space.Backward, 3, 200, 150, by("a", 250), Baseline{Name: "b", Reason: "does not fit", Proven: true}),
		{Pass: space.Backward}, // nothing fits
	}}
	sum := func(cycles float64, macs int64) Figures {
		return Figures{Cycles: cycles, DRAMBytes: int64(10 * cycles), DYBytes: int64(cycles), EnergyPJ: 2 * cycles,
			MACs: macs, SPMBytes: 100, Objective: cycles}
	}
	for _, c := range []struct {
		passes []space.Pass
		want   Totals
	}{
		{nil, Totals{Jobs: 3, Missing: 1, Proven: 1, Ours: sum(800, 35), Bound: 650, Baselines: []BaselineTotals{
			{Name: "a", Jobs: 2, Proven: true, Figures: sum(1050, 35), Ours: sum(800, 35)},
			{Name: "b", Jobs: 1, Missing: 1, Proven: true, Figures: sum(220, 14), Ours: sum(200, 14)},
		}}},
		{[]space.Pass{space.Forward}, Totals{Jobs: 1, Proven: 1, Ours: sum(200, 14), Bound: 200, Baselines: []BaselineTotals{
			{Name: "a", Jobs: 1, Proven: true, Figures: sum(300, 14), Ours: sum(200, 14)},
			{Name: "b", Jobs: 1, Proven: true, Figures: sum(220, 14), Ours: sum(200, 14)},
		}}},
		{[]space.Pass{space.DWOnly}, Totals{}},
	} {
		if diff := cmp.Diff(c.want, r.Totals(c.passes...)); diff != "" {
			t.Errorf("totals of %v (-want +got):\n%s", c.passes, diff)
		}
	}
}

func TestTotalsOfSPMTakeTheLargest(t *testing.T) {
	r := &Result{Plan: Plan{Objective: search.SPM}, Jobs: []Job{
		totalsJob(space.Forward, 5, 100, 0), totalsJob(space.Backward, 1, 50, 0),
	}}
	if got := r.Totals().Ours; got.SPMBytes != 100 || got.Objective != 100 {
		t.Errorf("SPM bytes %d, objective %g; want 100: layers use it one after the other", got.SPMBytes, got.Objective)
	}
}

func TestGap(t *testing.T) {
	for _, c := range []struct {
		value, bound, want float64
		ok                 bool
	}{{100, 100, 0, true}, {100, 75, 0.25, true}, {100, 0, 0, false}, {100, 101, 0, true}} {
		if got, ok := Gap(c.value, c.bound); got != c.want || ok != c.ok {
			t.Errorf("gap of %g to %g: %g %v, want %g %v", c.value, c.bound, got, ok, c.want, c.ok)
		}
	}
}
