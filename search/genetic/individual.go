package genetic

import (
	"errors"
	"math/rand"

	"github.com/MaxHalford/eaopt"

	"github.com/npu-tune/npu-tune/space"
)

var errUnmeasured = errors.New("an individual was not measured with its generation")

// individual is a schedule as eaopt breeds it.
type individual struct {
	schedule space.Schedule
	breeder  *breeder
	// fitness is of a founder; eaopt asks for it once.
	fitness  float64
	measured bool
}

var _ eaopt.Genome = (*individual)(nil)

// Evaluate implements eaopt.Genome. Only founders are asked; the model
// measures everyone else.
func (i *individual) Evaluate() (float64, error) {
	if !i.measured {
		return 0, errUnmeasured
	}
	return i.fitness, nil
}

// Mutate implements eaopt.Genome.
func (i *individual) Mutate(rng *rand.Rand) {
	i.measured = false
	i.breeder.mutate(&i.schedule, rng)
}

// Crossover implements eaopt.Genome. It changes only the receiver: eaopt
// would keep the fitness of a mate that changed.
func (i *individual) Crossover(mate eaopt.Genome, rng *rand.Rand) {
	i.measured = false
	i.breeder.cross(&i.schedule, &mate.(*individual).schedule, rng)
}

// Clone implements eaopt.Genome.
func (i *individual) Clone() eaopt.Genome {
	c := *i
	return &c
}
