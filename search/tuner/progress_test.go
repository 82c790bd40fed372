package tuner

import (
	"math"
	"sync/atomic"
	"testing"

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
	totals := r.Totals()
	if math.Abs(last.Best-totals.Ours.Objective) > 1e-6 || math.Abs(last.Bound-totals.Bound) > 1e-6 {
		t.Errorf("at the end best %g and bound %g, the totals are %g and %g", last.Best, last.Bound, totals.Ours.Objective, totals.Bound)
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
	if _, ok := last.Gap(); ok {
		t.Error("a gap is known without a bound")
	}
}
