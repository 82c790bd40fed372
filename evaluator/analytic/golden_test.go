package analytic_test

import (
	"testing"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/evaluator/cases"
	"github.com/npu-tune/npu-tune/evaluator/cases/golden"
)

// TestGoldenCases holds the closed form to 1000 random cases costed by an
// independent program.
func TestGoldenCases(t *testing.T) {
	all, err := golden.Cases()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1000 {
		t.Fatalf("%d golden cases, want 1000", len(all))
	}
	wrong := 0
	for i := range all {
		c := &all[i]
		var got evaluator.Cost
		analytic.New(&c.Problem).Cost(&c.Schedule, &got)
		if diff := cases.Diff(&got, c.Expect); len(diff) > 0 {
			if wrong++; wrong <= 5 {
				t.Errorf("case %d (%s, %d shared): %v", i, c.Schedule.Pass, c.Schedule.Shared, diff)
			}
		}
	}
	t.Logf("%d of %d cases agree in every field", len(all)-wrong, len(all))
}
