package tuner

import (
	"context"
	"testing"
	"time"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/models/zoo"
	"github.com/npu-tune/npu-tune/search/genetic"
)

// mostLate is how long after its end a search may go on in tests: much more than
// it takes, for machines that do much else at the same time.
const mostLate = 2 * time.Second

// largeLayers returns the layer of GPT-3 175B with the most
// multiply-accumulates, and one with thousands of times as many, which takes
// minutes to prove.
func largeLayers(t *testing.T) models.Model {
	t.Helper()
	gpt, err := zoo.Build("gpt3-175b", zoo.Options{Batch: 4})
	if err != nil {
		t.Fatal(err)
	}
	largest := gpt.Layers[0]
	for _, l := range gpt.Layers {
		if l.MACs() > largest.MACs() {
			largest = l
		}
	}
	endless := models.Layer{Name: "endless", M: 99_991, N: 99_989, K: 99_971}
	return models.Model{Name: "large", Layers: []models.Layer{largest, endless}}
}

// TestStopsAtOnce ends searches of the largest layers in their middle: there is
// a best, a bound and a gap, soon.
func TestStopsAtOnce(t *testing.T) {
	npu, err := hardware.Preset("small")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		after time.Duration
		plan  Plan
	}{
		"at the beginning":     {time.Millisecond, Plan{}},
		"in the middle":        {200 * time.Millisecond, Plan{}},
		"of hand-tuned ones":   {200 * time.Millisecond, Plan{Baselines: true}},
		"with a Pareto front":  {200 * time.Millisecond, Plan{Pareto: true}},
		"of what explains":     {200 * time.Millisecond, Plan{Explain: true, Sensitivity: true}},
		"of another strategy":  {200 * time.Millisecond, Plan{Strategy: genetic.New()}},
		"with several workers": {200 * time.Millisecond, Plan{Workers: 8}},
	} {
		for _, cancelled := range []bool{false, true} {
			c.plan.Model, c.plan.HW = largeLayers(t), npu.Params()
			ctx, cancel := context.WithTimeout(t.Context(), c.after)
			if cancelled { // as by Ctrl-C, without a deadline to plan for
				cancel()
				ctx, cancel = context.WithCancel(t.Context())
				time.AfterFunc(c.after, cancel)
			}
			var last Progress
			c.plan.Progress = func(p Progress) { last = p }
			start := time.Now()
			r := mustTune(t, ctx, c.plan)
			late := time.Since(start) - c.after
			cancel()
			t.Logf("%s, cancelled %v: %s late, %d evaluations", name, cancelled, late.Round(time.Millisecond), r.Timing.Evaluations)
			if late > mostLate {
				t.Errorf("%s, cancelled %v: it went on for %s", name, cancelled, late)
			}
			if !r.Interrupted {
				t.Errorf("%s, cancelled %v: all was done before", name, cancelled)
			}
			for i := range r.Jobs {
				if j := &r.Jobs[i]; j.Best() == nil {
					t.Errorf("%s: %s has no schedule", name, j.Name())
				}
			}
			if gap, ok := last.Gap(); !ok && last.Jobs > 0 || gap < 0 || gap >= 1 {
				t.Errorf("%s: the last progress %+v has no gap", name, last)
			}
		}
	}
}
