package results

import (
	"cmp"
	"slices"

	"github.com/npu-tune/npu-tune/search"
)

// Rank orders candidates by the objective, best first; ties by the next
// figures of search.Objective.Compare, and by schedule at last, so that the
// order does not depend on the one that they came in.
func Rank(o search.Objective, candidates []search.Candidate) {
	slices.SortStableFunc(candidates, func(a, b search.Candidate) int {
		if c := o.Compare(&a.Cost, &b.Cost); c != 0 {
			return c
		}
		return cmp.Compare(key(&a), key(&b))
	})
}

// key is a schedule as text that is unique to it.
func key(c *search.Candidate) string {
	b, err := c.Schedule.MarshalJSON()
	if err != nil {
		return ""
	}
	return string(b)
}

// Pareto returns the candidates that no other beats in one of cycles, DRAM
// bytes and SPM bytes while being no worse in the other two, by rising
// cycles. Of equal figures one stays, the first by schedule.
func Pareto(candidates []search.Candidate) []search.Candidate {
	sorted := slices.Clone(candidates)
	Rank(search.Latency, sorted)
	var front []search.Candidate
	for _, c := range sorted {
		// Whoever dominates c has no more cycles, so stands before it.
		dominated := slices.ContainsFunc(front, func(f search.Candidate) bool {
			return f.Cost.Cycles <= c.Cost.Cycles && f.Cost.DRAMBytes <= c.Cost.DRAMBytes && f.Cost.SPMBytes <= c.Cost.SPMBytes
		})
		if !dominated {
			front = append(front, c)
		}
	}
	return front
}
