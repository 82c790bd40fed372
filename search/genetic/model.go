package genetic

import (
	"github.com/MaxHalford/eaopt"

	"github.com/npu-tune/npu-tune/space"
)

// model is eaopt's generational model with elites, whose new individuals are
// measured as one batch. An error of the judge ends the run.
type model struct {
	eaopt.ModGenerational
	evolution *evolution

	best  float64
	since int // generations since the best improved
}

var _ eaopt.Model = (*model)(nil)

func newModel(e *evolution) *model {
	return &model{
		ModGenerational: eaopt.ModGenerational{
			Selector:  tournament{contestants: 3},
			MutRate:   e.strategy.MutRate,
			CrossRate: e.strategy.CrossRate,
		},
		evolution: e,
	}
}

// Apply implements eaopt.Model. The population is sorted when it comes in;
// eaopt sorts it again afterwards.
func (m *model) Apply(pop *eaopt.Population) error {
	elites := pop.Individuals[:m.evolution.strategy.Elites].Clone(pop.RNG)
	if err := m.ModGenerational.Apply(pop); err != nil {
		return err
	}
	copy(pop.Individuals, elites)
	return m.measure(pop.Individuals)
}

// measure judges the individuals that are not measured yet.
func (m *model) measure(individuals eaopt.Individuals) error {
	e := m.evolution
	e.schedules = e.schedules[:0]
	for i := range individuals {
		if !individuals[i].Evaluated {
			e.schedules = append(e.schedules, scheduleOf(individuals[i]))
		}
	}
	verdicts, err := e.measure(e.schedules)
	if err != nil {
		return err
	}
	for i := range individuals {
		if !individuals[i].Evaluated {
			individuals[i].Fitness, individuals[i].Evaluated = verdicts[0].Fitness, true
			verdicts = verdicts[1:]
		}
	}
	return nil
}

// stagnates reports whether the best has not improved for a while.
func (m *model) stagnates(ga *eaopt.GA) bool {
	best := ga.Populations[0].Individuals[0].Fitness
	if ga.Generations == 0 || best < m.best {
		m.best, m.since = best, 0
		return false
	}
	m.since++
	return m.since >= m.evolution.strategy.Stagnation
}

func scheduleOf(i eaopt.Individual) space.Schedule { return i.Genome.(*individual).schedule }
