package exhaustive_test

import (
	"testing"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/exhaustive"
	"github.com/npu-tune/npu-tune/space"
)

func tiny(m, n, k int64, pass space.Pass) *space.Problem {
	hw := hardware.Params{Rows: 1, Cols: 1, BytesPerCycle: 1, BytesIn: 1, BytesOut: 1, BytesAcc: 1}
	hw.UnifiedSPM(0)
	hw.Dataflows[hardware.WS] = true
	return &space.Problem{Layer: models.Layer{M: m, N: n, K: k}, HW: hw, Pass: pass}
}

// TestSeparateDYAtLevelsThatCostTheSame: where dY must not be one region, hold
// levels that cost the same are not alike, since equal ones would merge.
func TestSeparateDYAtLevelsThatCostTheSame(t *testing.T) {
	var c space.Constraints
	c.Shared, c.SeparateDY = 1<<0|1<<2, true
	c.Ops[space.DX].Orders = []space.Order{{space.N, space.M, space.K}}
	o, err := exhaustive.New().Search(t.Context(), &search.Request{Problem: tiny(1, 1, 1, space.Backward), Constraints: c})
	if err != nil {
		t.Fatal(err)
	}
	if !o.Proven || o.Best() == nil || o.Best().Cost.Cycles != 7 {
		t.Errorf("%+v, want a proven 7 cycles", o)
	}
}

// TestNoDataflow: constraints that leave no dataflow of the array leave nothing.
func TestNoDataflow(t *testing.T) {
	var c space.Constraints
	c.Ops[space.Fwd].Dataflows = []hardware.Dataflow{hardware.OS}
	o, err := exhaustive.New().Search(t.Context(), &search.Request{Problem: tiny(9, 3, 1, space.Forward), Constraints: c})
	if err != nil {
		t.Fatal(err)
	}
	if !o.Proven || o.Best() != nil {
		t.Errorf("%+v, want a proof that nothing fits", o)
	}
}

// TestCostIsOfTheSchedule: the outcome's cost is its schedule's to the last bit.
func TestCostIsOfTheSchedule(t *testing.T) {
	p := tiny(7, 6, 5, space.Backward)
	p.HW.BytesPerCycle, p.HW.DMALatency = 3, 7
	p.HW.UnifiedSPM(60)
	o, err := exhaustive.New().Search(t.Context(), &search.Request{Problem: p, Top: 5, Pareto: true})
	if err != nil {
		t.Fatal(err)
	}
	m := analytic.New(p)
	for _, k := range append(o.Top, o.Pareto...) {
		var c evaluator.Cost
		if m.Cost(&k.Schedule, &c); c != k.Cost {
			t.Errorf("cost %+v, its schedule's is %+v", k.Cost, c)
		}
	}
}
