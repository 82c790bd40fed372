package golden

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

//go:embed testdata/optima.json.gz
var compressedOptima []byte

// Figures are the least of each figure over all schedules of a problem, each
// by itself.
type Figures struct {
	Cycles    float64 `json:"cycles"`
	DRAMBytes float64 `json:"dram_bytes"`
	EnergyPJ  float64 `json:"energy_pj"`
	EDP       float64 `json:"edp"`
	SPMBytes  float64 `json:"spm_bytes"`
	// SequentialCycles is the least of backward passes without interleaving.
	SequentialCycles float64 `json:"cycles_best_sequential"`
}

// Optimum is a small problem whose whole space was enumerated: all integer
// extents, orders, holds, dataflows, shared loops and bursts on one core.
type Optimum struct {
	Problem    space.Problem
	Infeasible bool // nothing fits; no figures
	Min        Figures
	Fastest    *space.Schedule // one with the fewest cycles
}

// Optima decodes 225 problems with their optima.
func Optima() ([]Optimum, error) {
	raw, err := decompress(compressedOptima)
	if err != nil {
		return nil, fmt.Errorf("golden optima: %w", err)
	}
	var items []struct {
		Layer      models.Layer    `json:"layer"`
		Hardware   hardware.Params `json:"hardware"`
		Pass       string          `json:"pass"`
		Infeasible bool            `json:"infeasible"`
		Min        Figures         `json:"min"`
		Fastest    *space.Schedule `json:"schedule_min_cycles"`
	}
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, fmt.Errorf("golden optima: %w", err)
	}
	optima := make([]Optimum, len(items))
	for i, it := range items {
		optima[i] = Optimum{
			Problem:    space.Problem{Layer: it.Layer, HW: it.Hardware},
			Infeasible: it.Infeasible, Min: it.Min, Fastest: it.Fastest,
		}
		for pass := range space.NumPasses {
			if pass.String() == it.Pass {
				optima[i].Problem.Pass = pass
			}
		}
	}
	return optima, nil
}
