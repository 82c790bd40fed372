package tuner

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/exhaustive"
	"github.com/npu-tune/npu-tune/search/genetic"
	"github.com/npu-tune/npu-tune/search/random"
	"github.com/npu-tune/npu-tune/space"
	"github.com/npu-tune/npu-tune/space/handtuned"
)

// npu is an array of 4 × 4 PEs with 2 KiB of SPM.
func npu() hardware.Params {
	hw := hardware.Params{
		Rows: 4, Cols: 4, Pipelined: true, BytesPerCycle: 4, DMALatency: 10,
		BytesIn: 2, BytesOut: 2, BytesAcc: 4, Cores: 1,
		Energy: hardware.Energy{MACPJ: 1, SPMPJPerByte: 1, DRAMPJPerByte: 20},
	}
	hw.UnifiedSPM(2 << 10)
	return hw
}

// network has six layers: two are equal, and the first differs from them only
// in that it needs no input gradient.
func network() models.Model {
	return models.Model{Name: "tiny", Layers: []models.Layer{
		{Name: "first", M: 24, N: 16, K: 12, NoInputGrad: true},
		{Name: "second", M: 24, N: 16, K: 12},
		{Name: "third", M: 30, N: 20, K: 40},
		{Name: "fourth", M: 24, N: 16, K: 12, Count: 3},
		{Name: "conv", M: 36, N: 8, K: 18, Conv: &models.Conv{
			H: 6, W: 6, P: 6, Q: 6, R: 3, S: 3, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1}},
		{Name: "last", M: 2, N: 50, K: 64, Batch: 2},
	}}
}

func mustTune(t *testing.T, ctx context.Context, p Plan) *Result {
	t.Helper()
	r, err := Tune(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTuneProvesATinyNetwork(t *testing.T) {
	strategy := &counter{Strategy: exhaustive.New()}
	r := mustTune(t, t.Context(), Plan{Model: network(), HW: npu(), Baselines: true, Strategy: strategy})
	if !r.Proven() || r.Interrupted {
		t.Errorf("proven %v, interrupted %v; want a proof of every job", r.Proven(), r.Interrupted)
	}
	type job struct {
		Name    string
		Members []int
		Count   int64
	}
	want := []job{
		{"first forward", []int{0}, 1}, {"first dw", []int{0}, 1},
		{"second forward", []int{1, 3}, 4}, {"second backward", []int{1, 3}, 4},
		{"third forward", []int{2}, 1}, {"third backward", []int{2}, 1},
		{"conv forward", []int{4}, 1}, {"conv backward", []int{4}, 1},
		{"last forward", []int{5}, 1}, {"last backward", []int{5}, 1},
	}
	var got []job
	for i := range r.Jobs {
		j := &r.Jobs[i]
		got = append(got, job{j.Name(), j.Members, j.Layer.Count})
		for _, b := range j.Baselines {
			if !b.Proven || b.Best == nil {
				t.Errorf("%s: baseline %s is not proven: %s", j.Name(), b.Name, b.Reason)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("jobs (-want +got):\n%s", diff)
	}
	if strategy.calls != 9 {
		t.Errorf("%d searches, want 9: the forward passes of first and second are equal", strategy.calls)
	}
	if a, b := r.Jobs[0].Best(), r.Jobs[2].Best(); *a != *b {
		t.Errorf("equal problems have different answers: %+v and %+v", a, b)
	}
}

// TestNeverWorseThanHandTuned holds for any strategy, budget and objective.
func TestNeverWorseThanHandTuned(t *testing.T) {
	for _, strategy := range []search.Strategy{exhaustive.New(), genetic.New(), random.New()} {
		for objective := range search.NumObjectives {
			r := mustTune(t, t.Context(), Plan{
				Model: network(), HW: npu(), Objective: objective, Strategy: strategy, Baselines: true, MaxEvals: 40,
			})
			for i := range r.Jobs {
				j := &r.Jobs[i]
				for _, b := range j.Baselines {
					if b.Best != nil && objective.Compare(&b.Best.Cost, &j.Best().Cost) < 0 {
						t.Errorf("%s, %s: %s is worse than %s", strategy.Name(), objective, j.Name(), b.Name)
					}
				}
			}
		}
	}
}

func TestWorkersChangeNothing(t *testing.T) {
	for _, plan := range []Plan{
		{Baselines: true, Top: 3},
		{Passes: ForwardOnly, Pareto: true},
		{Strategy: genetic.New(), MaxEvals: 400, Seed: 5, Top: 3},
		{Strategy: random.New(), MaxEvals: 400, Seed: 5},
	} {
		plan.Model, plan.HW = network(), npu()
		var first *Result
		for _, workers := range []int{1, 2, 8} {
			plan.Workers = workers
			r := mustTune(t, t.Context(), plan)
			if first == nil {
				first = r
				continue
			}
			if diff := cmp.Diff(first.Jobs, r.Jobs, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%d workers find something else than 1:\n%s", workers, diff)
			}
		}
	}
}

func TestSeedsDifferByProblemOnly(t *testing.T) {
	a := models.Layer{Name: "a", M: 3, N: 4, K: 5, Count: 2}
	b := models.Layer{Name: "b", M: 3, N: 4, K: 5, NoInputGrad: true}
	c := models.Layer{Name: "a", M: 3, N: 5, K: 4}
	seed := func(seed uint64, l models.Layer, p space.Pass) uint64 { return deriveSeed(seed, identify(l, p)) }
	if seed(1, a, space.Forward) != seed(1, b, space.Forward) {
		t.Error("equal problems have different seeds")
	}
	for _, other := range []uint64{seed(2, a, space.Forward), seed(1, a, space.DWOnly), seed(1, c, space.Forward)} {
		if seed(1, a, space.Forward) == other {
			t.Error("different runs or problems have equal seeds")
		}
	}
}

func TestCancelledBeforeItStarts(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := mustTune(t, ctx, Plan{Model: network(), HW: npu(), Baselines: true})
	if !r.Interrupted || r.Proven() {
		t.Errorf("interrupted %v, proven %v; want true, false", r.Interrupted, r.Proven())
	}
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if j.Best() == nil || !j.Interrupted {
			t.Errorf("%s: best %v, interrupted %v; want a hand-tuned schedule", j.Name(), j.Best(), j.Interrupted)
		}
		for _, b := range j.Baselines {
			if !b.Fixed && (b.Best != nil || b.Proven || b.Reason == "") {
				t.Errorf("%s: family %s has best %v, reason %q; want none, with the reason", j.Name(), b.Name, b.Best, b.Reason)
			}
		}
	}
}

// TestCancelledMidRun stops in the middle of a search that has no end.
func TestCancelledMidRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	start := time.Now()
	r := mustTune(t, ctx, Plan{
		Model: network(), HW: npu(), Strategy: random.New(), MaxEvals: math.MaxInt64,
		Progress: func(p Progress) {
			if p.Evaluations > 500 {
				cancel()
			}
		},
	})
	if !r.Interrupted || time.Since(start) > 5*time.Second {
		t.Errorf("interrupted %v after %v; want an immediate stop", r.Interrupted, time.Since(start))
	}
	for i := range r.Jobs {
		if r.Jobs[i].Best() == nil {
			t.Errorf("%s has no schedule", r.Jobs[i].Name())
		}
	}
}

func TestProblemsAreReportedAllAtOnce(t *testing.T) {
	tooSmall := npu()
	tooSmall.UnifiedSPM(9)
	_, err := Tune(t.Context(), Plan{Model: network(), HW: tooSmall, Strategy: liar{}})
	if !errors.Is(err, space.ErrCapacity) {
		t.Fatalf("error is %v, want space.ErrCapacity", err)
	}
	for _, name := range []string{"first forward", "third backward", "last forward"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("error does not name %q: %v", name, err)
		}
	}
	huge := models.Model{Name: "huge", Layers: []models.Layer{
		{Name: "x", M: 1 << 31, N: 1 << 31, K: 1 << 31}, {Name: "ok", M: 1, N: 1, K: 1}, {Name: "y", M: 1 << 30, N: 1 << 31, K: 1 << 31},
	}}
	_, err = Tune(t.Context(), Plan{Model: huge, HW: npu()})
	if !errors.Is(err, space.ErrOverflow) || !strings.Contains(err.Error(), `"x"`) || !strings.Contains(err.Error(), `"y"`) {
		t.Errorf("error is %v, want space.ErrOverflow for x and y", err)
	}
	many := models.Model{Name: "many", Layers: []models.Layer{{Name: "x", M: 1 << 18, N: 1 << 10, K: 1 << 10, Count: 1 << 31}}}
	if _, err = Tune(t.Context(), Plan{Model: many, HW: npu(), Strategy: liar{}}); !errors.Is(err, space.ErrOverflow) {
		t.Errorf("error is %v, want space.ErrOverflow for the sum over all layers", err)
	}
	_, err = Tune(t.Context(), Plan{Model: models.Model{Name: "none"}, HW: npu(), MaxEvals: -1, Workers: -2, Top: -3})
	for _, want := range []string{"-1", "-2", "-3", "no layers"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want it to say %q", err, want)
		}
	}
	if !errors.Is(err, ErrPlan) || !errors.Is(err, models.ErrLayer) {
		t.Errorf("error is %v, want ErrPlan and models.ErrLayer", err)
	}
}

func TestFalseProofIsAnError(t *testing.T) {
	if _, err := Tune(t.Context(), Plan{Model: network(), HW: npu(), Strategy: liar{}}); !errors.Is(err, errWorse) {
		t.Errorf("error is %v, want that a hand-tuned schedule refutes the proof", err)
	}
}

// TestBudget: two layers are proven at once, one needs more than its first
// slice and gets what the others leave over, one can never be proven.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		layer := func(name string, m int64) models.Layer { return models.Layer{Name: name, M: m, N: 16, K: 12} }
		s := &sleeper{needs: map[string]time.Duration{
			"quick": time.Second, "quicker": time.Millisecond, "slow": 20 * time.Minute, "endless": 10 * time.Hour}}
		run := tuning{prover: s, handtuned: noBaselines}
		start := time.Now()
		r, err := run.run(ctx, Plan{
			Model:  models.Model{Layers: []models.Layer{layer("quick", 8), layer("slow", 10), layer("quicker", 12), layer("endless", 11)}},
			HW:     npu(),
			Passes: ForwardOnly, Strategy: s, Workers: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != time.Hour {
			t.Errorf("it took %v, want the budget of 1h", took)
		}
		if !r.Interrupted {
			t.Error("an endless layer was not interrupted")
		}
		for i, proven := range []bool{true, true, true, false} {
			if j := &r.Jobs[i]; j.Outcome.Proven != proven || j.Interrupted == proven || j.Best() == nil {
				t.Errorf("%s: proven %v, interrupted %v, best %v; want proven %v", j.Layer.Name, j.Outcome.Proven, j.Interrupted, j.Best(), proven)
			}
		}
		spent := s.total()
		if spent["quick"] != time.Second || spent["quicker"] != time.Millisecond || spent["slow"] < 20*time.Minute {
			t.Errorf("time went to %v", spent)
		}
	})
}

// TestProvenEndsBeforeTheBudget: a budget is an upper bound.
func TestProvenEndsBeforeTheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		s := &sleeper{needs: map[string]time.Duration{"third": 2 * time.Second}}
		run := tuning{prover: s, handtuned: handtuned.For}
		start := time.Now()
		r, err := run.run(ctx, Plan{Model: network(), HW: npu(), Passes: BackwardOnly, Strategy: s, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 2*time.Second || r.Interrupted || !r.Proven() {
			t.Errorf("took %v, interrupted %v, proven %v; want 2s, false, true", took, r.Interrupted, r.Proven())
		}
	})
}

func TestOtherEvaluator(t *testing.T) {
	r := mustTune(t, t.Context(), Plan{Model: network(), HW: npu(), Evaluator: other{}, Baselines: true, MaxEvals: 300})
	proof := mustTune(t, t.Context(), Plan{Model: network(), HW: npu()})
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if j.Outcome.Strategy != "genetic" || j.Outcome.Proven {
			t.Errorf("%s: %s, proven %v; want genetic, false", j.Name(), j.Outcome.Strategy, j.Outcome.Proven)
		}
		if got, want := j.Best().Cost.Cycles, proof.Jobs[i].Best().Cost.Cycles; got < want {
			t.Errorf("%s: %g cycles, below the optimum %g", j.Name(), got, want)
		}
		for _, b := range j.Baselines {
			if !b.Fixed && b.Proven {
				t.Errorf("%s: family %s is proven by an evaluator without bounds", j.Name(), b.Name)
			}
		}
	}
}
