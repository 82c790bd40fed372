package genetic

import (
	"math/rand"

	"github.com/MaxHalford/eaopt"
)

// tournament selects the best of a few individuals drawn with replacement, in
// constant time; eaopt's own shuffles the whole population each time.
type tournament struct{ contestants int }

var _ eaopt.Selector = tournament{}

// Apply implements eaopt.Selector. The individuals are measured.
func (t tournament) Apply(n uint, from eaopt.Individuals, rng *rand.Rand) (eaopt.Individuals, []int, error) {
	winners, indexes := make(eaopt.Individuals, n), make([]int, n)
	for i := range winners {
		best := rng.Intn(len(from))
		for range t.contestants - 1 {
			if j := rng.Intn(len(from)); from[j].Fitness < from[best].Fitness {
				best = j
			}
		}
		winners[i], indexes[i] = from[best].Clone(rng), best
	}
	return winners, indexes, nil
}

// Validate implements eaopt.Selector.
func (tournament) Validate() error { return nil }
