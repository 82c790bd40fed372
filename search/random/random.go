// Package random draws schedules: the yardstick that cleverer strategies are
// measured against.
package random

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/judge"
	"github.com/npu-tune/npu-tune/space"
)

// batch is how many schedules are judged at a time.
const batch = 256

// Strategy draws schedules from the whole space until the budget is used up:
// the context's, or Request.MaxEvals schedules that fit and were costed, or
// judge.DefaultMaxEvals where neither is given. It proves nothing.
type Strategy struct{}

var _ search.Strategy = Strategy{}

// New returns the strategy.
func New() Strategy { return Strategy{} }

// Name implements search.Strategy.
func (Strategy) Name() string { return "random" }

// Search implements search.Strategy.
func (Strategy) Search(ctx context.Context, r *search.Request) (search.Outcome, error) {
	sp, err := space.NewSpace(r.Problem, r.Constraints)
	if err != nil {
		return search.Outcome{}, fmt.Errorf("random: %w", err)
	}
	j := judge.New(ctx, r, sp)
	if err := sample(ctx, r, sp, j); !errors.Is(err, judge.ErrDone) && ctx.Err() == nil {
		return search.Outcome{}, fmt.Errorf("random: %w", err)
	}
	return j.Outcome(Strategy{}.Name()), nil
}

// sample draws and judges until the judge or the context ends it.
func sample(ctx context.Context, r *search.Request, sp *space.Space, j *judge.Judge) error {
	if err := j.JudgeSeeds(ctx); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(r.Seed, 0))
	schedules := make([]space.Schedule, batch)
	verdicts := make([]judge.Verdict, batch)
	for {
		for i := range schedules {
			g := sp.Random(rng)
			schedules[i] = sp.Decode(&g)
		}
		if err := j.Judge(ctx, schedules, verdicts); err != nil {
			return err
		}
	}
}
