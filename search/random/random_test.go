package random

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/exhaustive"
	"github.com/npu-tune/npu-tune/space"
)

func problem(pass space.Pass, spmBytes int64) *space.Problem {
	hw := hardware.Params{Rows: 4, Cols: 4, Pipelined: true, BytesPerCycle: 4, BytesIn: 2, BytesOut: 2, BytesAcc: 4, Cores: 1}
	hw.UnifiedSPM(spmBytes)
	return &space.Problem{Layer: models.Layer{M: 6, N: 5, K: 4}, HW: hw, Pass: pass}
}

func TestFindsTheOptimumOfATinySpace(t *testing.T) {
	p := problem(space.Forward, 150)
	for objective := range search.NumObjectives {
		proof, err := exhaustive.New().Search(t.Context(), &search.Request{Problem: p, Objective: objective})
		if err != nil || !proof.Proven {
			t.Fatalf("no proof: %v", err)
		}
		o, err := New().Search(t.Context(), &search.Request{Problem: p, Objective: objective, Evaluator: analytic.Evaluator{}})
		if err != nil {
			t.Fatal(err)
		}
		got, want := objective.Value(&o.Best().Cost), objective.Value(&proof.Best().Cost)
		if got < want*(1-1e-12) || got > want*(1+1e-12) {
			t.Errorf("%s: the best drawn is %g, the optimum %g", objective, got, want)
		}
	}
}

func TestSameSeedSameOutcome(t *testing.T) {
	run := func(seed uint64) search.Outcome {
		o, err := New().Search(t.Context(), &search.Request{
			Problem: problem(space.Backward, 300), Evaluator: analytic.Evaluator{}, MaxEvals: 500, Seed: seed, Top: 4, Pareto: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		if o.Stats.Evaluations != 500 || len(o.Top) != 4 || o.Proven {
			t.Errorf("%d evaluations, %d best, proven %v; want 500, 4, false", o.Stats.Evaluations, len(o.Top), o.Proven)
		}
		return o
	}
	if diff := cmp.Diff(run(1), run(1)); diff != "" {
		t.Errorf("two runs with one seed differ:\n%s", diff)
	}
	if cmp.Equal(run(1), run(2)) {
		t.Error("two seeds find the same")
	}
}

// cancelling is an evaluator that ends the context at its second batch.
type cancelling struct {
	stop    context.CancelFunc
	batches int
}

func (*cancelling) Name() string { return "cancelling" }

func (c *cancelling) Evaluate(ctx context.Context, p *space.Problem, s []space.Schedule, r []evaluator.Result) error {
	if c.batches++; c.batches == 2 {
		c.stop()
	}
	return analytic.Evaluator{}.Evaluate(ctx, p, s, r)
}

func TestCancelLeavesTheBestSoFar(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := &cancelling{stop: cancel}
	o, err := New().Search(ctx, &search.Request{Problem: problem(space.Backward, 300), Evaluator: c})
	if err != nil || o.Best() == nil || c.batches != 2 {
		t.Errorf("best %v, error %v after %d batches; want the first batch's best", o.Best(), err, c.batches)
	}
}

func TestNothingFits(t *testing.T) {
	o, err := New().Search(t.Context(), &search.Request{Problem: problem(space.Backward, 3), Evaluator: analytic.Evaluator{}})
	if err != nil || o.Best() != nil || o.Proven || o.Stats.Infeasible == 0 {
		t.Errorf("best %v, proven %v, %d infeasible, error %v; want none, false, many", o.Best(), o.Proven, o.Stats.Infeasible, err)
	}
}

func TestImpossibleConstraintsAreAnError(t *testing.T) {
	c := space.Constraints{}
	c.Ops[space.Fwd].TileMultiple[space.M], c.Ops[space.Fwd].TileMax[space.M] = 4, 3
	_, err := New().Search(t.Context(), &search.Request{Problem: problem(space.Forward, 300), Constraints: c, Evaluator: analytic.Evaluator{}})
	if !errors.Is(err, space.ErrEmpty) {
		t.Errorf("error is %v, want space.ErrEmpty", err)
	}
}
