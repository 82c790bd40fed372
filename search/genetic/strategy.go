package genetic

import (
	"context"
	"errors"
	"fmt"
	"math/rand"

	"github.com/MaxHalford/eaopt"

	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/judge"
	"github.com/npu-tune/npu-tune/space"
)

// Strategy evolves a population of schedules, begins again where it
// stagnates, and returns the best distinct schedules ever seen. It proves
// nothing: it ends with the context or Request.MaxEvals, which counts
// schedules that were costed; those known already, or too large for the SPM,
// cost nothing. Without a deadline and MaxEvals, judge.DefaultMaxEvals holds.
type Strategy struct {
	// Population is the number of schedules of a generation.
	Population int
	// Elites is how many of the best go on unchanged.
	Elites int
	// MutRate and CrossRate are the parts of a generation that change, and
	// that take something from a mate.
	MutRate, CrossRate float64
	// Stagnation is after how many generations without gain a population is
	// given up.
	Stagnation int
}

var _ search.Strategy = (*Strategy)(nil)

// New returns the strategy with settings that suit the cost model: of many
// small populations some begin near the optimum, of few large ones all settle
// for the same structure.
func New() *Strategy {
	return &Strategy{Population: 30, Elites: 2, MutRate: 0.8, CrossRate: 0.5, Stagnation: 12}
}

// Name implements search.Strategy.
func (*Strategy) Name() string { return "genetic" }

// Search implements search.Strategy.
func (g *Strategy) Search(ctx context.Context, r *search.Request) (search.Outcome, error) {
	sp, err := space.NewSpace(r.Problem, r.Constraints)
	if err != nil {
		return search.Outcome{}, fmt.Errorf("genetic: %w", err)
	}
	rng := rand.New(rand.NewSource(int64(r.Seed)))
	e := &evolution{
		strategy: g,
		ctx:      ctx,
		judge:    judge.New(ctx, r, sp),
		breeder:  newBreeder(sp, r.Seed),
	}
	for _, s := range r.Seeds {
		if sp.Allows(&s) == nil {
			e.seeds = append(e.seeds, s)
		}
	}
	err = e.judge.JudgeSeeds(ctx)
	for restart := 0; err == nil; restart++ {
		err = e.live(restart, rng)
	}
	if !errors.Is(err, judge.ErrDone) && ctx.Err() == nil {
		return search.Outcome{}, fmt.Errorf("genetic: %w", err)
	}
	return e.judge.Outcome(g.Name()), nil
}

// evolution is one search.
type evolution struct {
	strategy *Strategy
	ctx      context.Context
	judge    *judge.Judge
	breeder  *breeder
	seeds    []space.Schedule

	champions []space.Schedule // the polished best of populations past

	schedules []space.Schedule
	verdicts  []judge.Verdict
}

// measure judges schedules as one batch. The result is the evolution's own
// until the next call.
func (e *evolution) measure(schedules []space.Schedule) ([]judge.Verdict, error) {
	if n := len(schedules) - len(e.verdicts); n > 0 {
		e.verdicts = append(e.verdicts, make([]judge.Verdict, n)...)
	}
	verdicts := e.verdicts[:len(schedules)]
	return verdicts, e.judge.Judge(e.ctx, schedules, verdicts)
}

// live breeds one population until it stagnates, then polishes its best.
func (e *evolution) live(restart int, rng *rand.Rand) error {
	founders, err := e.founders(restart, rng)
	if err != nil {
		return err
	}
	model := newModel(e)
	config := eaopt.GAConfig{
		NPops:        1,
		PopSize:      uint(e.strategy.Population),
		NGenerations: 1 << 30,
		HofSize:      1,
		Model:        model,
		RNG:          rng,
		EarlyStop:    model.stagnates,
	}
	ga, err := config.NewGA()
	if err != nil {
		return err
	}
	next := 0
	err = ga.Minimize(func(*rand.Rand) eaopt.Genome {
		next++
		return founders[next-1]
	})
	if err != nil {
		return err
	}
	return e.polish(ga.Populations[0].Individuals[0], rng)
}

// founders returns a measured first generation. Every third population comes
// from the best of those before it, so that what they found apart can meet;
// the others are drawn at random, the first with the known schedules in it.
func (e *evolution) founders(restart int, rng *rand.Rand) ([]*individual, error) {
	n := e.strategy.Population
	ancestors, mutants := e.seeds, n/4
	if restart%3 == 2 {
		ancestors, mutants = e.champions, 3*n/4
	}
	e.schedules = e.schedules[:0]
	for i := range n {
		switch {
		case restart%3 != 1 && i < len(ancestors):
			e.schedules = append(e.schedules, ancestors[i])
		case restart%3 != 1 && i < mutants && len(ancestors) > 0:
			s := ancestors[rng.Intn(len(ancestors))]
			e.breeder.mutate(&s, rng)
			e.schedules = append(e.schedules, s)
		default:
			e.schedules = append(e.schedules, e.breeder.random(rng))
		}
	}
	verdicts, err := e.measure(e.schedules)
	if err != nil {
		return nil, err
	}
	founders := make([]*individual, n)
	for i := range founders {
		founders[i] = &individual{schedule: e.schedules[i], breeder: e.breeder, fitness: verdicts[i].Fitness, measured: true}
	}
	return founders, nil
}
