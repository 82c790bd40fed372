package tuner

import (
	"fmt"
	"reflect"

	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

// constraintsOf returns what restricts a pass of a layer.
func (p *Plan) constraintsOf(l models.Layer, pass space.Pass) space.Constraints {
	if p.Constraints == nil {
		return space.Constraints{}
	}
	return p.Constraints(l, pass)
}

// rulesOf says what restricts a pass, empty where nothing does: equal texts,
// equal constraints.
func (p *Plan) rulesOf(l models.Layer, pass space.Pass) string {
	if p.Constraints == nil {
		return ""
	}
	return fmt.Sprintf("%+v", p.Constraints(l, pass))
}

// distinct merges the model's layers that pose the same problems under the
// same constraints, as Model.Distinct does without constraints.
func (p *Plan) distinct() (layers []models.Layer, members [][]int) {
	if p.Constraints == nil {
		return p.Model.Distinct()
	}
	var rules []string
next:
	for i, l := range p.Model.Layers {
		own := ""
		for _, pass := range p.Passes.Of(l) {
			own += p.rulesOf(l, pass) + ";"
		}
		for j := range layers {
			if rules[j] == own && layers[j].SameProblem(l) {
				layers[j].Count += l.Occurrences()
				members[j] = append(members[j], i)
				continue next
			}
		}
		l.Count = l.Occurrences()
		layers, members, rules = append(layers, l), append(members, []int{i}), append(rules, own)
	}
	return layers, members
}

// constrained reports whether anything restricts the task.
func (t *task) constrained() bool { return !reflect.DeepEqual(t.constraints, space.Constraints{}) }

// breaks returns what a legal schedule breaks of the task's constraints, nil
// if nothing.
func (t *task) breaks(s *space.Schedule) error {
	if err := t.constraints.Allow(t.problem, s); err != nil {
		return err
	}
	f := t.problem.Footprint(s)
	return f.Fits(t.constraints.ReservedSPMBytes)
}

// marked returns a baseline with the constraint that its schedule breaks.
func (t *task) marked(b Baseline) Baseline {
	if b.Best == nil || !t.constrained() {
		return b
	}
	if err := t.breaks(&b.Best.Schedule); err != nil {
		b.Breaks = err.Error()
	}
	return b
}

// rewrite returns the canonical form of a schedule, or, under constraints, the
// schedule itself: its canonical form may break them.
func (t *task) rewrite(s space.Schedule) space.Schedule {
	if t.constrained() {
		return s
	}
	return t.problem.Canonical(s)
}

// interleaved returns the task's constraints with shared loops; false if they
// forbid these.
func (t *task) interleaved() (space.Constraints, bool) {
	c := t.constraints
	shared := uint8(1<<1 | 1<<2 | 1<<3)
	if c.Shared != 0 {
		shared &= c.Shared
	}
	c.Shared = shared
	return c, shared != 0
}

// permitted returns those candidates that break no constraint.
func (t *task) permitted(list []search.Candidate) []search.Candidate {
	if !t.constrained() {
		return list
	}
	var kept []search.Candidate
	for _, c := range list {
		if t.breaks(&c.Schedule) == nil {
			kept = append(kept, c)
		}
	}
	return kept
}
