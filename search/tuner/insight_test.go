package tuner

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/exhaustive"
	"github.com/npu-tune/npu-tune/space"
)

func TestSensitivity(t *testing.T) {
	plan := Plan{Model: network(), HW: npu(), Sensitivity: true}
	plain := mustTune(t, t.Context(), Plan{Model: network(), HW: npu()})
	r := mustTune(t, t.Context(), plan)
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if !reflect.DeepEqual(j.Outcome, plain.Jobs[i].Outcome) {
			t.Errorf("%s: asking for more changes the outcome", j.Name())
		}
		ours := j.Best().Cost.Cycles
		if len(j.Variants) != 4 || j.Interleaved != nil {
			t.Fatalf("%s: %d variants and interleaved %v, want 4 and none", j.Name(), len(j.Variants), j.Interleaved)
		}
		for k := range j.Variants {
			v := &j.Variants[k]
			p := *j.Problem
			p.HW = v.apply(p.HW)
			want, err := exhaustive.New().Search(t.Context(), &search.Request{Problem: &p})
			if err != nil {
				t.Fatal(err)
			}
			if !v.Outcome.Proven || (v.Outcome.Best() == nil) != (want.Best() == nil) {
				t.Errorf("%s: SPM ×%g bandwidth ×%g: %+v, want %+v", j.Name(), v.SPM, v.Bandwidth, v.Outcome, want)
				continue
			}
			if want.Best() == nil {
				continue
			}
			got := v.Outcome.Best().Cost.Cycles
			if got != want.Best().Cost.Cycles {
				t.Errorf("%s: SPM ×%g bandwidth ×%g takes %g cycles, want %g", j.Name(), v.SPM, v.Bandwidth, got, want.Best().Cost.Cycles)
			}
			if more := v.SPM*v.Bandwidth > 1; more && got > ours || !more && got < ours {
				t.Errorf("%s: SPM ×%g bandwidth ×%g takes %g cycles, without %g", j.Name(), v.SPM, v.Bandwidth, got, ours)
			}
		}
	}
}

func TestExplain(t *testing.T) {
	r := mustTune(t, t.Context(), Plan{Model: network(), HW: npu(), Explain: true})
	asked := 0
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if len(j.Variants) != 2 {
			t.Errorf("%s: %d variants, want 2", j.Name(), len(j.Variants))
		}
		sequential := j.Pass == space.Backward && j.Best().Schedule.Shared == 0
		if (j.Interleaved != nil) != sequential {
			t.Errorf("%s: interleaved is %v, sequential %v", j.Name(), j.Interleaved, sequential)
		}
		if j.Interleaved == nil {
			continue
		}
		asked++
		if !j.Interleaved.Proven {
			t.Errorf("%s: the best with shared loops is not proven", j.Name())
		}
		if best := j.Interleaved.Best(); best != nil && (best.Schedule.Shared == 0 || best.Cost.Cycles < j.Best().Cost.Cycles) {
			t.Errorf("%s: with shared loops %+v, best %+v", j.Name(), best, j.Best())
		}
	}
	t.Logf("%d of %d jobs are not interleaved", asked, len(r.Jobs))
}

func TestInsightsDependOnNoWorkers(t *testing.T) {
	plan := Plan{Model: network(), HW: npu(), Sensitivity: true, Explain: true, Workers: 1}
	one := mustTune(t, t.Context(), plan)
	plan.Workers = 8
	many := mustTune(t, t.Context(), plan)
	if !reflect.DeepEqual(one.Jobs, many.Jobs) {
		t.Error("1 and 8 workers find different things")
	}
}

// TestInsightsKeepToTheBudget wants what there is where a strategy would take
// for ever.
func TestInsightsKeepToTheBudget(t *testing.T) {
	slow := &sleeper{needs: map[string]time.Duration{}}
	for _, l := range network().Layers {
		slow.needs[l.Name] = time.Hour
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	start := time.Now()
	r := mustTune(t, ctx, Plan{Model: network(), HW: npu(), Strategy: slow, Sensitivity: true})
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %s of 300ms", took)
	}
	if !r.Interrupted {
		t.Error("it is not said that the time did not suffice")
	}
	for i := range r.Jobs {
		if len(r.Jobs[i].Variants) != 4 {
			t.Errorf("%s: %d variants, want 4", r.Jobs[i].Name(), len(r.Jobs[i].Variants))
		}
	}
}
