//go:build invariants

package tuner

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/exhaustive"
	"github.com/npu-tune/npu-tune/space"
)

func TestInvariantsHold(t *testing.T) {
	for objective := range search.NumObjectives {
		mustTune(t, t.Context(), Plan{Model: network(), HW: npu(), Baselines: true, Objective: objective})
	}
}

// TestInvariantsHoldOverBudget: what is left when time is up is checked too.
func TestInvariantsHoldOverBudget(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := mustTune(t, ctx, Plan{Model: network(), HW: npu()}); !r.Interrupted {
		t.Error("it was not interrupted")
	}
}

// understated changes what a strategy finds.
type understated struct {
	search.Strategy
	change func(*search.Candidate)
}

func (u understated) Search(ctx context.Context, r *search.Request) (search.Outcome, error) {
	o, err := u.Strategy.Search(ctx, r)
	if r.Problem.Layer.Name == "third" && r.Problem.Pass == space.Backward && len(o.Top) > 0 {
		u.change(&o.Top[0])
	}
	return o, err
}

// TestInvariantsBroken: a winner that costs something else than the search
// says, or that is no schedule of the problem, ends the run.
func TestInvariantsBroken(t *testing.T) {
	for want, change := range map[string]func(*search.Candidate){
		"cycles is ":         func(c *search.Candidate) { c.Cost.Cycles /= 2 },
		"traffic.dy.read is": func(c *search.Candidate) { c.Cost.Traffic[space.GradY].Read++ },
		"uses 7 cores":       func(c *search.Candidate) { c.Schedule.Ops[space.DX].Cores[space.M] = 7 },
	} {
		_, err := Tune(t.Context(), Plan{Model: network(), HW: npu(), Strategy: understated{exhaustive.New(), change}})
		if !errors.Is(err, errInvariant) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "third backward") {
			t.Errorf("error %v, want errInvariant with %q", err, want)
		}
	}
}
