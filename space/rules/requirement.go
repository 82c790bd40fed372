package rules

import (
	"fmt"
	"slices"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// Requirement is one field of a rule: the least that can clash with another.
type Requirement struct {
	Field string // where it stands: rules[0].orders
	Line  int    // in the file; 0 where there is none
	Value string // what it asks for, for messages
	add   func(*sum)
}

// String says what is required and where.
func (r Requirement) String() string {
	s := r.Field
	if r.Value != "" {
		s += ": " + r.Value
	}
	if r.Line > 0 {
		s += fmt.Sprintf(" (line %d)", r.Line)
	}
	return s
}

// sum is what several requirements leave. Lists and masks of Constraints are
// empty for "all", so what excludes everything is noted apart.
type sum struct {
	pass    space.Pass
	c       space.Constraints
	nothing bool
}

// Combine returns what satisfies all requirements of a pass; false if they
// exclude each other whatever the problem.
func Combine(pass space.Pass, list []Requirement) (space.Constraints, bool) {
	s := sum{pass: pass}
	for _, r := range list {
		r.add(&s)
	}
	return s.c, !s.nothing
}

// Clash returns a smallest part of requirements that leaves nothing possible:
// without any one of its members the others would. It asks possible for one
// subset per requirement, and must be called with a list that is impossible.
func Clash(list []Requirement, possible func([]Requirement) bool) []Requirement {
	left := slices.Clone(list)
	for i := 0; i < len(left); {
		without := slices.Delete(slices.Clone(left), i, i+1)
		if possible(without) {
			i++
		} else {
			left = without
		}
	}
	return left
}

// meet keeps what is in both lists, an empty have being everything.
func meet[T comparable](s *sum, have, want []T) []T {
	if len(have) == 0 {
		return slices.Clone(want)
	}
	both := slices.DeleteFunc(slices.Clone(have), func(v T) bool { return !slices.Contains(want, v) })
	s.nothing = s.nothing || len(both) == 0
	return both
}

// meetMask keeps what is in both masks, an empty have being everything.
func meetMask(s *sum, have, want uint8) uint8 {
	if have == 0 {
		return want
	}
	s.nothing = s.nothing || have&want == 0
	return have & want
}

// of calls f for an operation that the pass has.
func (s *sum) of(op space.Op, f func(*space.OpConstraints)) {
	if s.pass.Has(op) {
		f(&s.c.Ops[op])
	}
}

func (s *sum) orders(op space.Op, want []space.Order) {
	s.of(op, func(c *space.OpConstraints) { c.Orders = meet(s, c.Orders, want) })
}

func (s *sum) dataflows(op space.Op, want []hardware.Dataflow) {
	s.of(op, func(c *space.OpConstraints) { c.Dataflows = meet(s, c.Dataflows, want) })
}

func (s *sum) hold(op space.Op, lacks space.Dim, mask uint8) {
	s.of(op, func(c *space.OpConstraints) { c.Hold[lacks] = meetMask(s, c.Hold[lacks], mask) })
}

func (s *sum) multiple(op space.Op, d space.Dim, n int64) {
	s.of(op, func(c *space.OpConstraints) {
		// what no extent reaches is as good as anything larger; both are at most MaxDim: no overflow
		c.TileMultiple[d] = min(space.LCM(max(c.TileMultiple[d], 1), n), models.MaxDim)
	})
}

func (s *sum) most(op space.Op, d space.Dim, n int64) {
	s.of(op, func(c *space.OpConstraints) { c.TileMax[d] = least(c.TileMax[d], n) })
}

// exactly asks for one extent, or the whole share where that is less: it is
// the only multiple of itself that does not exceed itself.
func (s *sum) exactly(op space.Op, d space.Dim, n int64) {
	s.multiple(op, d, n)
	s.most(op, d, n)
}

func (s *sum) noPartialSums(op space.Op) {
	s.of(op, func(c *space.OpConstraints) { c.NoPartialSums = true })
}

// shared and what follows it are about two gradients: a pass of one operation
// has nothing to interleave, and satisfies them.
func (s *sum) shared(mask uint8) {
	if s.pass == space.Backward {
		s.c.Shared = meetMask(s, s.c.Shared, mask)
	}
}

func (s *sum) maxBurst(most int64) {
	if s.pass == space.Backward {
		s.c.MaxBurst = least(s.c.MaxBurst, most)
	}
}

func (s *sum) minBurst(n int64) {
	if s.pass == space.Backward {
		s.c.MinBurst = max(s.c.MinBurst, n)
	}
}

func (s *sum) separateDY() { s.c.SeparateDY = s.c.SeparateDY || s.pass == space.Backward }

func (s *sum) partitions(want [][space.NumDims]uint16) {
	s.c.Partitions = meet(s, s.c.Partitions, want)
}

// least returns the smaller of two bounds, of which 0 is none.
func least(have, want int64) int64 {
	if have == 0 {
		return want
	}
	return min(have, want)
}
