package search

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/npu-tune/npu-tune/evaluator"
)

// Objective is the figure that a search makes small.
type Objective uint8

// The objectives.
const (
	Latency Objective = iota // cycles
	Traffic                  // DRAM bytes
	Energy                   // pJ
	EDP                      // pJ·cycles
	SPM                      // bytes of SPM in use
	NumObjectives
)

// ErrObjective is wrapped by ParseObjective's error.
var ErrObjective = errors.New("unknown objective")

var objectiveNames = [NumObjectives]string{"latency", "traffic", "energy", "edp", "spm"}

var objectiveUnits = [NumObjectives]string{"cycles", "bytes", "pJ", "pJ·cycles", "bytes"}

// ObjectiveNames returns the names that ParseObjective knows.
func ObjectiveNames() []string { return objectiveNames[:] }

// String returns the objective's name.
func (o Objective) String() string {
	if o < NumObjectives {
		return objectiveNames[o]
	}
	return fmt.Sprintf("objective(%d)", uint8(o))
}

// Unit returns the unit of Value.
func (o Objective) Unit() string { return objectiveUnits[o] }

// ParseObjective is the inverse of String.
func ParseObjective(s string) (Objective, error) {
	for i, n := range objectiveNames {
		if n == s {
			return Objective(i), nil
		}
	}
	return 0, fmt.Errorf("%w %q", ErrObjective, s)
}

// Value returns the figure that the objective makes small.
func (o Objective) Value(c *evaluator.Cost) float64 {
	switch o {
	case Traffic:
		return float64(c.DRAMBytes)
	case Energy:
		return c.EnergyPJ
	case EDP:
		return c.EDP()
	case SPM:
		return float64(c.SPMBytes)
	}
	return c.Cycles
}

// Compare orders costs by the objective, ties by latency, then traffic, then
// SPM bytes, then energy: negative where a is better.
func (o Objective) Compare(a, b *evaluator.Cost) int {
	return cmp.Or(
		cmp.Compare(o.Value(a), o.Value(b)),
		cmp.Compare(a.Cycles, b.Cycles),
		cmp.Compare(a.DRAMBytes, b.DRAMBytes),
		cmp.Compare(a.SPMBytes, b.SPMBytes),
		cmp.Compare(a.EnergyPJ, b.EnergyPJ),
	)
}
