package search

import (
	"cmp"
	"slices"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/space"
)

// Archive keeps the best distinct schedules that it is shown, best first; of
// equal ones those seen first.
type Archive struct {
	objective Objective
	size      int
	list      []Candidate
}

// NewArchive returns an archive of the size best schedules, at least one.
func NewArchive(o Objective, size int) *Archive { return &Archive{objective: o, size: max(size, 1)} }

// Add shows the archive a schedule.
func (a *Archive) Add(s *space.Schedule, c *evaluator.Cost) {
	if len(a.list) == a.size && a.objective.Compare(c, &a.list[a.size-1].Cost) >= 0 {
		return
	}
	if slices.ContainsFunc(a.list, func(k Candidate) bool { return k.Schedule == *s }) {
		return
	}
	at := len(a.list)
	for at > 0 && a.objective.Compare(c, &a.list[at-1].Cost) < 0 {
		at--
	}
	a.list = slices.Insert(a.list, at, Candidate{Schedule: *s, Cost: *c})
	a.list = a.list[:min(len(a.list), a.size)]
}

// Best returns the schedules, best first. The slice is the archive's own.
func (a *Archive) Best() []Candidate { return a.list }

// Front keeps the schedules that no other one equals or beats in cycles, DRAM
// bytes and SPM bytes at once; of equal ones that seen first.
type Front struct{ list []Candidate }

// Add shows the front a schedule.
func (f *Front) Add(s *space.Schedule, c *evaluator.Cost) {
	for i := range f.list {
		if dominates(&f.list[i].Cost, c) {
			return
		}
	}
	f.list = slices.DeleteFunc(f.list, func(k Candidate) bool { return dominates(c, &k.Cost) })
	f.list = append(f.list, Candidate{Schedule: *s, Cost: *c})
}

// rounding is how far apart, relatively, cycles may be that are the same: they
// are sums of floats in different orders.
const rounding = 1e-12

// dominates reports whether a is nowhere worse than b.
func dominates(a, b *evaluator.Cost) bool {
	return a.Cycles <= b.Cycles*(1+rounding) && a.DRAMBytes <= b.DRAMBytes && a.SPMBytes <= b.SPMBytes
}

// Reaches reports whether some schedule of the front is nowhere worse than the
// given figures.
func (f *Front) Reaches(cycles float64, dramBytes, spmBytes int64) bool {
	for i := range f.list {
		if c := &f.list[i].Cost; c.Cycles <= cycles*(1+rounding) && c.DRAMBytes <= dramBytes && c.SPMBytes <= spmBytes {
			return true
		}
	}
	return false
}

// Sorted returns the front by rising cycles.
func (f *Front) Sorted() []Candidate {
	return slices.SortedStableFunc(slices.Values(f.list), func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(a.Cost.Cycles, b.Cost.Cycles), cmp.Compare(a.Cost.DRAMBytes, b.Cost.DRAMBytes))
	})
}
