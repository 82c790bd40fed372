package genetic

import (
	"math/rand"

	"github.com/MaxHalford/eaopt"

	"github.com/npu-tune/npu-tune/space"
)

// neighbours is how many mutants of the best are tried at a time, rounds how
// many times in a row they may bring nothing.
const (
	neighbours = 64
	rounds     = 8
)

// polish improves a population's best by small moves until they bring nothing
// more.
func (e *evolution) polish(best eaopt.Individual, rng *rand.Rand) error {
	s, fitness := scheduleOf(best), best.Fitness
	for failed := 0; failed < rounds; failed++ {
		e.schedules = e.schedules[:0]
		for range neighbours {
			e.schedules = append(e.schedules, e.breeder.neighbour(s, rng))
		}
		verdicts, err := e.measure(e.schedules)
		if err != nil {
			return err
		}
		for i := range verdicts {
			switch {
			case verdicts[i].Fitness < fitness:
				s, fitness, failed = e.schedules[i], verdicts[i].Fitness, -1
			case verdicts[i].Fitness == fitness:
				s = e.schedules[i] // a plateau is left by walking on it
			}
		}
	}
	e.champions = append(e.champions, s)
	if len(e.champions) > e.strategy.Population/2 {
		e.champions = e.champions[1:]
	}
	return nil
}

// neighbour returns a schedule one or two small moves away.
func (b *breeder) neighbour(s space.Schedule, rng *rand.Rand) space.Schedule {
	if rng.Intn(2) == 0 {
		b.mutate(&s, rng)
		return s
	}
	was := s
	for more := true; more; more = rng.Intn(3) == 0 {
		op := b.ops[rng.Intn(len(b.ops))]
		b.resize(&s, op, space.Dim(rng.Intn(int(space.NumDims))), rng)
		b.settle(&s, op)
	}
	b.shrink(&s, rng)
	if !b.allowed(&s) {
		return was
	}
	return s
}
