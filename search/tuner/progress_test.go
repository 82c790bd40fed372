package tuner

import (
	"math"
	"sync/atomic"
	"testing"

	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/genetic"
)

func TestProgress(t *testing.T) {
	var (
		inside  atomic.Int32
		last    Progress
		started = map[int]bool{}
		ended   = map[int]bool{}
	)
	r := mustTune(t, t.Context(), Plan{Model: network(), HW: npu(), Workers: 4, Progress: func(p Progress) {
		if inside.Add(1) != 1 {
			t.Error("two calls overlap")
		}
		defer inside.Add(-1)
		if p.Jobs != 10 || p.Done < last.Done || p.Proven < last.Proven || p.Evaluations < last.Evaluations || p.Elapsed < last.Elapsed {
			t.Errorf("%+v follows %+v", p, last)
		}
		switch p.State {
		case Started:
			started[p.Job.Index] = true
		case Ended:
			ended[p.Job.Index] = true
		}
		last = p
	}})
	if len(started) != 9 || len(ended) != 9 {
		t.Errorf("%d searches started and %d ended, want 9 distinct problems", len(started), len(ended))
	}
	if last.Done != 10 || last.Proven != 10 {
		t.Errorf("at the end %d jobs are done and %d proven, want 10", last.Done, last.Proven)
	}
	cycles := 0.0
	for i := range r.Jobs {
		cycles += r.Jobs[i].Best().Cost.Cycles * float64(r.Jobs[i].Layer.Count)
	}
	if math.Abs(last.Best-cycles) > 1e-6 || math.Abs(last.Bound-cycles) > 1e-6 {
		t.Errorf("at the end best %g and bound %g, the layers' sum is %g", last.Best, last.Bound, cycles)
	}
	if gap, ok := last.Gap(); !ok || gap > 1e-12 {
		t.Errorf("gap %g, known %v; want 0, since all is proven", gap, ok)
	}
	if last.Evaluations != r.Timing.Evaluations {
		t.Errorf("progress counts %d evaluations, the result %d", last.Evaluations, r.Timing.Evaluations)
	}
}

func TestProgressOfAHeuristic(t *testing.T) {
	var last Progress
	mustTune(t, t.Context(), Plan{Model: network(), HW: npu(), Strategy: genetic.New(), MaxEvals: 100, Progress: func(p Progress) { last = p }})
	if last.Done != 10 || last.Proven != 0 {
		t.Errorf("at the end %d jobs are done and %d proven, want 10 and 0", last.Done, last.Proven)
	}
	if gap, ok := last.Gap(); !ok || gap <= 0 || gap >= 1 {
		t.Errorf("gap %g, known %v; want one to the bound that needs no search", gap, ok)
	}
}

func TestProgressOfSPMTakesTheLargest(t *testing.T) {
	var last Progress
	r := mustTune(t, t.Context(), Plan{Model: network(), HW: npu(), Objective: search.SPM, Progress: func(p Progress) { last = p }})
	largest := int64(0)
	for i := range r.Jobs {
		largest = max(largest, r.Jobs[i].Best().Cost.SPMBytes)
	}
	if last.Best != float64(largest) {
		t.Errorf("at the end best %g, want %d: layers use the SPM one after the other", last.Best, largest)
	}
}

// TestProgressOfParts sends figures of one gradient alone, which are below
// what the whole can be: totals never show them.
func TestProgressOfParts(t *testing.T) {
	mustTune(t, t.Context(), Plan{Model: network(), HW: npu(), Strategy: partial{}, Passes: BackwardOnly, Progress: func(p Progress) {
		if p.Bound <= 0 || p.Best < p.Bound*(1-rounding) {
			t.Errorf("best %g is below the bound %g", p.Best, p.Bound)
		}
		if p.Job.Best < p.Job.Bound*(1-rounding) {
			t.Errorf("%s: best %g is below the bound %g", p.Job.Layer, p.Job.Best, p.Job.Bound)
		}
	}})
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
