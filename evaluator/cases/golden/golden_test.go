package golden_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/evaluator/cases"
	"github.com/npu-tune/npu-tune/evaluator/cases/golden"
	"github.com/npu-tune/npu-tune/space"
)

func TestCases(t *testing.T) {
	all, err := golden.Cases()
	if err != nil {
		t.Fatal(err)
	}
	var passes [space.NumPasses]int
	for i, c := range all {
		passes[c.Schedule.Pass]++
		if c.Expect == nil {
			t.Errorf("case %d says no cost", i)
		}
	}
	if want := [space.NumPasses]int{192, 70, 738}; passes != want {
		t.Errorf("cases per pass: %v, want %v", passes, want)
	}
}

func TestRoundTrip(t *testing.T) {
	all, err := golden.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range all {
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		var back cases.Case
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatalf("case %d: %v\n%s", i, err, b)
		}
		if d := cmp.Diff(c, back); d != "" {
			t.Fatalf("case %d changed:\n%s", i, d)
		}
	}
}
