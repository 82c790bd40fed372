package igo

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed paper.json
var paperJSON []byte

// Paper holds the figures that the paper prints: its text's averages, and its
// bars, read off to about 0.002. Times are of forward and backward together,
// normalized to the paper's own baseline; averages are arithmetic means.
type Paper struct {
	Source   string   `json:"source"`
	Averages Averages `json:"averages"`
	// Algorithm1 and the best of three orders, averages after rearrangement.
	Orders map[string][2]float64 `json:"algorithm_1_vs_best_of_three_orders"`
	Choice struct {
		KNN      float64 `json:"knn"`
		Best     float64 `json:"best"`
		Accuracy float64 `json:"knn_accuracy"`
	} `json:"partition_choice_2_cores"`
	Networks map[string]map[string]float64 `json:"per_model"`
}

// Averages are the paper's means over its networks.
type Averages struct {
	Small Steps              `json:"small"`
	Large Steps              `json:"large"`
	Cores map[string]float64 `json:"large_cores"` // all techniques, by cores
}

// Steps are times with the paper's techniques, each with those before it.
type Steps struct {
	Interleaving  float64 `json:"interleaving"`
	Rearrangement float64 `json:"rearrangement"`
	Partitioning  float64 `json:"partitioning"`
}

// ReadPaper returns the paper's figures.
func ReadPaper() (*Paper, error) {
	p := &Paper{}
	if err := json.Unmarshal(paperJSON, p); err != nil {
		return nil, fmt.Errorf("the paper's figures: %w", err)
	}
	return p, nil
}

// Printed are the paper's figures of one network, or averages; nil is what it
// does not print.
type Printed struct {
	Interleaving  *float64 `json:"interleaving"`
	Rearrangement *float64 `json:"rearrangement"`
	Partitioning  *float64 `json:"partitioning"` // all techniques
}

// network returns what the paper prints of a network in a setting.
func (p *Paper) network(name string, s *Setting) Printed {
	bars := p.Networks[name]
	get := func(key string) *float64 {
		if v, ok := bars[key]; ok {
			return &v
		}
		return nil
	}
	switch {
	case s.Sweep == BatchSweep:
		return Printed{}
	case s.Sweep == BandwidthSweep:
		return Printed{Partitioning: get(fmt.Sprintf("all_large_%gGBs", s.GBPerS))}
	case s.Cores > 1:
		return Printed{Partitioning: get(fmt.Sprintf("all_%s_%d_cores", s.NPU, s.Cores))}
	}
	return Printed{get("interleaving_" + s.NPU), get("rearrangement_" + s.NPU), get("partitioning_" + s.NPU)}
}

// average returns the paper's means in a setting.
func (p *Paper) average(s *Setting) Printed {
	steps := p.Averages.Large
	switch {
	case s.Sweep != Main:
		return Printed{}
	case s.Cores > 1:
		if v, ok := p.Averages.Cores[fmt.Sprint(s.Cores)]; ok {
			return Printed{Partitioning: &v}
		}
		return Printed{}
	case s.NPU == Small:
		steps = p.Averages.Small
	}
	return Printed{&steps.Interleaving, &steps.Rearrangement, &steps.Partitioning}
}
