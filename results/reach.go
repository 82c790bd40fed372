package results

import (
	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/bound"
	"github.com/npu-tune/npu-tune/search"
)

// Reach is how far any schedule could go: figures that none falls below,
// whether or not the search's space has it (docs/bounds.md), of one occurrence
// of a layer or added up like Figures.
type Reach struct {
	Cycles    float64 `json:"cycles"`
	DRAMBytes int64   `json:"dram_bytes"`
	EnergyPJ  float64 `json:"energy_pj"`
	SPMBytes  int64   `json:"spm_bytes"`
	// Gap is by which part of itself the schedules' objective exceeds the
	// bound, 0 to 1; nil where there are no schedules.
	Gap *float64 `json:"gap"`
}

func newReach(b *bound.Bounds) Reach {
	return Reach{Cycles: b.Cycles, DRAMBytes: b.IOBytes, EnergyPJ: b.EnergyPJ, SPMBytes: b.SPMBytes}
}

// add adds a layer that occurs count times.
func (r *Reach) add(o *Reach, count int64) {
	r.Cycles += o.Cycles * float64(count)
	r.DRAMBytes += o.DRAMBytes * count
	r.EnergyPJ += o.EnergyPJ * float64(count)
	r.SPMBytes = max(r.SPMBytes, o.SPMBytes)
}

// of returns the bound on an objective. That on the energy-delay product is
// the product of both bounds.
func (r *Reach) of(o search.Objective) float64 {
	return o.Value(&evaluator.Cost{Cycles: r.Cycles, DRAMBytes: r.DRAMBytes, EnergyPJ: r.EnergyPJ, SPMBytes: r.SPMBytes})
}

// measure sets the gap of a value of the objective.
func (r *Reach) measure(o search.Objective, value float64) {
	if value > 0 {
		gap := max(0, (value-r.of(o))/value)
		r.Gap = &gap
	}
}

// value returns the figure that the objective makes small.
func (f *Figures) value(o search.Objective) float64 {
	return o.Value(&evaluator.Cost{Cycles: f.Cycles, DRAMBytes: f.DRAMBytes, EnergyPJ: f.EnergyPJ, SPMBytes: f.SPMBytes})
}
