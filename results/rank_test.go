package results_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/results"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

func candidates() *rapid.Generator[[]search.Candidate] {
	figure := rapid.Int64Range(1, 4)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) search.Candidate {
		op := space.OpSchedule{Tile: [space.NumDims]int64{1, 1, rapid.Int64Range(1, 50).Draw(t, "k")}, Order: space.Orders[0]}
		return search.Candidate{
			Schedule: space.Schedule{Pass: space.Forward, Ops: [space.NumOps]space.OpSchedule{space.Fwd: op}},
			Cost: evaluator.Cost{
				Cycles: float64(figure.Draw(t, "cycles")), DRAMBytes: figure.Draw(t, "bytes"),
				SPMBytes: figure.Draw(t, "spm"), EnergyPJ: float64(figure.Draw(t, "energy")),
			},
		}
	}), 0, 12)
}

func TestRankIsIndependentOfTheOrderThatCandidatesComeIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := candidates().Draw(t, "candidates")
		o := search.Objective(rapid.IntRange(0, int(search.NumObjectives)-1).Draw(t, "objective"))
		shuffled := rapid.Permutation(list).Draw(t, "shuffled")
		results.Rank(o, list)
		results.Rank(o, shuffled)
		if diff := cmp.Diff(list, shuffled, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
		if !slices.IsSortedFunc(list, func(a, b search.Candidate) int { return o.Compare(&a.Cost, &b.Cost) }) {
			t.Fatalf("not by rising %s", o)
		}
	})
}

func TestParetoIsWhatNobodyDominates(t *testing.T) {
	dominates := func(a, b *evaluator.Cost) bool {
		return a.Cycles <= b.Cycles && a.DRAMBytes <= b.DRAMBytes && a.SPMBytes <= b.SPMBytes &&
			(a.Cycles < b.Cycles || a.DRAMBytes < b.DRAMBytes || a.SPMBytes < b.SPMBytes)
	}
	type point struct {
		cycles     float64
		bytes, spm int64
	}
	at := func(c search.Candidate) point { return point{c.Cost.Cycles, c.Cost.DRAMBytes, c.Cost.SPMBytes} }
	rapid.Check(t, func(t *rapid.T) {
		list := candidates().Draw(t, "candidates")
		want := map[point]bool{}
		for i := range list {
			dominated := false
			for j := range list {
				dominated = dominated || dominates(&list[j].Cost, &list[i].Cost)
			}
			if !dominated {
				want[at(list[i])] = true
			}
		}
		got := map[point]bool{}
		last := 0.0
		for _, c := range results.Pareto(list) {
			if got[at(c)] {
				t.Fatalf("%v occurs twice", at(c))
			}
			if c.Cost.Cycles < last {
				t.Fatal("not by rising cycles")
			}
			got[at(c)], last = true, c.Cost.Cycles
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(point{})); diff != "" {
			t.Fatal(diff)
		}
	})
}
