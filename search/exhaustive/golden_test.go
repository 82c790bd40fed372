package exhaustive_test

import (
	"testing"

	"github.com/npu-tune/npu-tune/evaluator/cases/golden"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/exhaustive"
	"github.com/npu-tune/npu-tune/space"
)

// TestGoldenOptima holds the search to the optima of 225 small problems that an
// independent program found by enumerating every schedule.
func TestGoldenOptima(t *testing.T) { goldenOptima(t, exhaustive.New()) }

// TestGoldenOptimaInLittleMemory does so with a queue that is full at once.
func TestGoldenOptimaInLittleMemory(t *testing.T) { goldenOptima(t, exhaustive.WithQueue(50)) }

func goldenOptima(t *testing.T, strategy search.Strategy) {
	all, err := golden.Optima()
	if err != nil {
		t.Fatal(err)
	}
	solve := func(p *space.Problem, o search.Objective, c space.Constraints) (float64, bool) {
		out, err := strategy.Search(t.Context(), &search.Request{Problem: p, Objective: o, Constraints: c})
		if err != nil {
			t.Fatal(err)
		}
		if !out.Proven {
			t.Errorf("not proven")
		}
		if out.Best() == nil {
			return 0, false
		}
		return o.Value(&out.Best().Cost), true
	}
	near := func(a, b float64) bool { return a-b <= 1e-9*b && b-a <= 1e-9*b }
	bad := 0
	for i := range all {
		min := &all[i].Min
		for objective, want := range []float64{min.Cycles, min.DRAMBytes, min.EnergyPJ, min.EDP, min.SPMBytes, min.SequentialCycles} {
			objective, c := search.Objective(objective), space.Constraints{}
			if objective == search.NumObjectives {
				if all[i].Problem.Pass != space.Backward {
					continue
				}
				objective, c.Shared, c.SeparateDY = search.Latency, 1, true
			}
			got, found := solve(&all[i].Problem, objective, c)
			if found == all[i].Infeasible || found && !near(got, want) {
				bad++
				if bad < 20 {
					t.Errorf("problem %d (%s) %s: %v (found %v), want %v", i, all[i].Problem.Pass, objective, got, found, want)
				}
			}
		}
	}
}
