package simulator_test

import (
	"testing"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/cases"
	"github.com/npu-tune/npu-tune/evaluator/cases/golden"
	"github.com/npu-tune/npu-tune/evaluator/simulator"
	"github.com/npu-tune/npu-tune/space"
)

func TestGoldenCosts(t *testing.T) {
	all, err := golden.Cases()
	if err != nil {
		t.Fatal(err)
	}
	s := simulator.New()
	agree := 0
	for i, c := range all {
		results := make([]evaluator.Result, 1)
		if err := s.Evaluate(t.Context(), &c.Problem, []space.Schedule{c.Schedule}, results); err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		if r := results[0]; r.Status != evaluator.OK {
			t.Errorf("case %d: status %d: %s", i, r.Status, r.Reason)
			continue
		}
		if d := cases.Diff(&results[0].Cost, c.Expect); d != nil {
			t.Errorf("case %d: %v", i, d)
			continue
		}
		agree++
	}
	if agree != 1000 {
		t.Errorf("%d of %d cases agree, want 1000 of 1000", agree, len(all))
	}
}
