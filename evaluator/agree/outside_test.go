package agree_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/evaluator/cases/golden"
	"github.com/npu-tune/npu-tune/evaluator/simulator"
	"github.com/npu-tune/npu-tune/space"
)

// Two other programs count a part of the cost each: Timeloop the traffic of
// forward GEMMs, SCALE-Sim the cycles of an array. Both evaluators must agree
// with them.
var bothEvaluators = []evaluator.Evaluator{analytic.Evaluator{}, simulator.New()}

func TestTimeloopTraffic(t *testing.T) {
	all, err := golden.Timeloop()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 60 {
		t.Fatalf("%d cases, want 60", len(all))
	}
	for _, e := range bothEvaluators {
		for i, c := range all {
			cost := costOf(t, e, &c.Problem, c.Schedule)
			x, w, y := cost.Traffic[space.X], cost.Traffic[space.W], cost.Traffic[space.Y]
			got := golden.Traffic{X: x.Read, W: w.Read, YRead: y.Read, YWrite: y.Write}
			if diff := cmp.Diff(c.Want, got); diff != "" {
				t.Errorf("%s, case %d, %+v: want -, got +\n%s", e.Name(), i, c.Schedule.Ops[space.Fwd], diff)
			}
			if moved := c.Want.X + c.Want.W + c.Want.YRead + c.Want.YWrite; cost.DRAMBytes != moved {
				t.Errorf("%s, case %d: %d bytes in all, want %d", e.Name(), i, cost.DRAMBytes, moved)
			}
		}
	}
}

func TestScaleSimCycles(t *testing.T) {
	all, err := golden.ScaleSim()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 24 {
		t.Fatalf("%d cases, want 24", len(all))
	}
	for _, e := range bothEvaluators {
		for i, c := range all {
			cost := costOf(t, e, &c.Problem, c.Schedule)
			if cost.Ops != 1 || cost.ComputeCycles != c.Cycles {
				t.Errorf("%s, case %d (%d×%d×%d, %s): %d cycles in %d operations, want %d in 1", e.Name(), i,
					c.Problem.Layer.M, c.Problem.Layer.N, c.Problem.Layer.K, c.Schedule.Ops[space.Fwd].Dataflow,
					cost.ComputeCycles, cost.Ops, c.Cycles)
			}
		}
	}
}

func costOf(t *testing.T, e evaluator.Evaluator, p *space.Problem, s space.Schedule) *evaluator.Cost {
	t.Helper()
	results := make([]evaluator.Result, 1)
	if err := e.Evaluate(t.Context(), p, []space.Schedule{s}, results); err != nil {
		t.Fatal(err)
	}
	if r := &results[0]; r.Status != evaluator.OK {
		t.Fatalf("%s: status %d: %s", e.Name(), r.Status, r.Reason)
	}
	return &results[0].Cost
}
