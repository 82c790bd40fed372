package exhaustive_test

import (
	"slices"
	"testing"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/exhaustive"
)

// TestPareto holds the proven front of cycles × DRAM bytes × SPM bytes to
// enumeration without pruning: the same triples, no more and no fewer.
func TestPareto(t *testing.T) {
	for _, k := range []kind{
		{name: "one operation", count: 50, passes: oneOp, most: 150e3},
		{name: "backward", count: 25, passes: twoOp, most: 300e3},
		{name: "backward, cores", count: 10, passes: twoOp, cores: true, most: 150e3},
	} {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			points := 0
			if testing.Short() {
				k.count /= 10
			}
			for seed := range k.count {
				p, c := k.draw(5000 + seed)
				var want search.Front
				model := analytic.New(&p)
				for s := range every(&p) {
					var cost evaluator.Cost
					if model.Cost(&s, &cost) {
						want.Add(&s, &cost)
					}
				}
				out, err := exhaustive.New().Search(t.Context(), &search.Request{Problem: &p, Constraints: c, Pareto: true})
				if err != nil {
					t.Fatal(err)
				}
				if !out.ParetoProven {
					t.Fatalf("seed %d: the front is not proven", seed)
				}
				a, b := triples(want.Sorted()), triples(out.Pareto)
				if !slices.EqualFunc(a, b, alike) {
					t.Fatalf("seed %d (%s): front\n%v\nwant\n%v\nlayer %+v\nhardware %+v", 5000+seed, p.Pass, b, a, p.Layer, p.HW)
				}
				points += len(a)
			}
			t.Logf("%d problems, %d points on their fronts", k.count, points)
		})
	}
}

type triple struct {
	cycles     float64
	bytes, spm int64
}

func triples(list []search.Candidate) []triple {
	var to []triple
	for i := range list {
		c := &list[i].Cost
		to = append(to, triple{c.Cycles, c.DRAMBytes, c.SPMBytes})
	}
	return to
}

func alike(a, b triple) bool {
	return a.cycles-b.cycles <= 1e-9*b.cycles && b.cycles-a.cycles <= 1e-9*b.cycles && a.bytes == b.bytes && a.spm == b.spm
}
