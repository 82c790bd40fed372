package space_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/space"
)

func cost(p *space.Problem, s *space.Schedule) evaluator.Cost {
	var c evaluator.Cost
	analytic.New(p).Cost(s, &c)
	return c
}

// Canonical schedules are legal, cost the same to the last bit and are their
// own canonical form.
func TestCanonicalKeepsEveryFigure(t *testing.T) {
	for i, c := range goldenCases(t) {
		checkCanonical(t, i, &c.Problem, c.Schedule)
	}
}

func TestCanonicalKeepsEveryFigureOfRandomSchedules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		for i := range 50 {
			checkCanonical(t, i, p, drawSchedule(t, p))
		}
	})
}

func checkCanonical(t interface{ Fatalf(string, ...any) }, i int, p *space.Problem, s space.Schedule) {
	if err := p.Legal(&s); err != nil {
		t.Fatalf("schedule %d: %v", i, err)
	}
	c := p.Canonical(s)
	if err := p.Legal(&c); err != nil {
		t.Fatalf("schedule %d: canonical form of\n%+v: %v", i, s, err)
	}
	if got, want := cost(p, &c), cost(p, &s); got != want {
		t.Fatalf("schedule %d: canonical form costs\n%+v, want\n%+v\n%+v\n%+v", i, got, want, s, c)
	}
	if again := p.Canonical(c); again != c {
		t.Fatalf("schedule %d: canonical form\n%+v has another\n%+v", i, c, again)
	}
	if p.SharesDY(&s) != p.SharesDY(&c) || p.TwoRuns(&s) != p.TwoRuns(&c) {
		t.Fatalf("schedule %d: canonical form merges or parts dY", i)
	}
	if f, g := p.Footprint(&s), p.Footprint(&c); f.Slots() != g.Slots() || f.SPMBytes() != g.SPMBytes() {
		t.Fatalf("schedule %d: canonical form takes other slots", i)
	}
}

func TestCanonicalForms(t *testing.T) {
	p := &space.Problem{Pass: space.Forward}
	p.Layer.M, p.Layer.N, p.Layer.K = 8, 4, 6
	one := space.OpSchedule{
		Tile: [3]int64{2, 9, 3}, Order: space.Order{space.M, space.N, space.K},
		Hold: [3]uint8{space.N: 1, space.M: 2, space.K: 2}, Cores: [3]uint16{1, 1, 1},
	}
	want := space.OpSchedule{
		Tile: [3]int64{2, 4, 3}, Order: space.Order{space.N, space.M, space.K},
		Hold: [3]uint8{space.N: 2, space.M: 0, space.K: 2},
	}
	s := space.Schedule{Pass: space.Forward}
	s.Ops[space.Fwd] = one
	if got := p.Canonical(s).Ops[space.Fwd]; got != want {
		t.Errorf("canonical form\n%+v, want\n%+v", got, want)
	}
}
