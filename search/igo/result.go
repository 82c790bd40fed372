package igo

import (
	"fmt"

	"github.com/npu-tune/npu-tune/space"
)

// Study is what was found.
type Study struct {
	Partial bool     `json:"partial"` // it was stopped before all layers were done
	Results []Result `json:"results"`
	// Cells counts where the optimum is at most the paper's figure for all of
	// its techniques.
	Cells []Cells `json:"cells"`
	// Violations are cells in which a technique beats the optimum: there are
	// none unless something is wrong, or a cache or partition does what no
	// schedule of the space can.
	Violations []string `json:"violations"`
	// Printed are the paper's own figures.
	Printed *Paper `json:"paper"`
}

// Cells counts networks and settings for which the paper prints a figure.
type Cells struct {
	Baseline string `json:"baseline"`
	AtMost   int    `json:"optimum_at_most_paper"`
	// Unreachable counts where even the lower bound is above the paper's
	// figure: its baseline takes longer than this one by more than anything
	// could gain.
	Unreachable int `json:"bound_above_paper"`
	All         int `json:"cells"`
}

// Result is one setting.
type Result struct {
	Setting
	Networks []Network `json:"networks"`
	// Average is the arithmetic mean over the networks that are done.
	Average Ratios       `json:"average"`
	Paper   Printed      `json:"paper"` // the paper's averages
	Rules   []RuleResult `json:"rules"`
	Choice  *ChoiceCount `json:"partition_choice"` // nil: too few layers
	// Picks counts layers by the partition that is best with algorithm 1.
	Picks map[string]int `json:"best_partitions"`
	// Exceptions counts passes in which a technique beats the optimum of the
	// space, of Passes.
	Exceptions int `json:"passes_below_optimum"`
	Passes     int `json:"passes"`
}

// ChoiceCount says how well nearest neighbours choose the partition.
type ChoiceCount struct {
	Layers   int     `json:"layers"`
	Accuracy float64 `json:"accuracy"`
}

// Network is one network in a setting.
type Network struct {
	Name   string  `json:"name"`
	Zoo    string  `json:"network"` // as package zoo builds it
	Done   bool    `json:"done"`
	Paper  Printed `json:"paper"`
	Ratios Ratios  `json:"ratios"`
	// Cycles of forward and backward with each baseline, and the optimum's.
	TiledCycles        float64  `json:"tiled_cycles"`
	ConventionalCycles float64  `json:"conventional_cycles"`
	CachedCycles       float64  `json:"cached_cycles"`
	OptimumCycles      float64  `json:"optimum_cycles"`
	DY                 DYShares `json:"dy"`
	Gain               *Gain    `json:"gain,omitempty"`
}

// Ratios are times normalized to each baseline.
type Ratios struct {
	Tiled        Ratio `json:"tiled"`
	Conventional Ratio `json:"conventional"`
	Cached       Ratio `json:"cached"`
}

// Of returns the ratios to a baseline.
func (r *Ratios) Of(b Baseline) *Ratio {
	return [NumBaselines]*Ratio{&r.Tiled, &r.Conventional, &r.Cached}[b]
}

// Ratio holds times of forward and backward over a baseline's.
type Ratio struct {
	Interleaving  float64 `json:"interleaving"`
	Rearrangement float64 `json:"rearrangement"` // by algorithm 1
	BestOrder     float64 `json:"best_order"`    // of three
	Partitioning  float64 `json:"partitioning"`  // the best partition, order by algorithm 1
	KNN           float64 `json:"knn"`           // the partition by nearest neighbours; 0: too few layers
	BestOfAll     float64 `json:"best_of_all"`   // the best partition and order
	Sequential    float64 `json:"best_sequential"`
	Optimum       float64 `json:"optimum"`
	Bound         float64 `json:"bound"`
}

// fields lists the ratios, to be treated alike.
func (r *Ratio) fields() []*float64 {
	return []*float64{&r.Interleaving, &r.Rearrangement, &r.BestOrder, &r.Partitioning, &r.KNN, &r.BestOfAll, &r.Sequential, &r.Optimum, &r.Bound}
}

// RuleResult says how good a rule for the order is, without partitions.
type RuleResult struct {
	Rule string `json:"rule"`
	// Hits counts distinct layers in which it picks the best of the three.
	Hits   int `json:"hits"`
	Layers int `json:"layers"`
	// Tiled is the mean time of forward and backward over the tiled baseline.
	Tiled float64 `json:"tiled"`
	// OverOptimum is the mean backward time over the optimum's.
	OverOptimum float64 `json:"over_optimum"`
}

// DYShares is what loads of dY are of backward traffic.
type DYShares struct {
	Tiled        DYShare `json:"tiled"`
	Conventional DYShare `json:"conventional"`
	Cached       DYShare `json:"cached"`
	// Removed is how much of what the second gradient loads of dY in the tiled
	// baseline is no longer loaded.
	RemovedByTechniques float64 `json:"removed_by_techniques"`
	RemovedByOptimum    float64 `json:"removed_by_optimum"`
	// The paper's shares, of the large NPU, and what it removes.
	PaperOfTraffic *float64 `json:"paper_of_traffic,omitempty"`
	PaperOfReads   *float64 `json:"paper_of_reads,omitempty"`
	PaperRemoved   *float64 `json:"paper_removed,omitempty"`
}

// DYShare is dY's part of a baseline's bytes.
type DYShare struct {
	OfTraffic float64 `json:"of_traffic"`
	OfReads   float64 `json:"of_reads"`
}

// Gain takes the optimum's gain over conventional apart: parts of
// conventional's time that add up to what the optimum saves.
type Gain struct {
	Tiling       float64 `json:"tiling"`       // tiles, orders, holds and dataflows of each operation; m is split over the cores
	Partition    float64 `json:"partition"`    // any split over the cores, of each operation
	Interleaving float64 `json:"interleaving"` // gradients that alternate tile by tile, dxmajor or dwmajor
	Granularity  float64 `json:"granularity"`  // that alternate at any granularity and in any order
}

// newStudy sums up what the runs found.
func newStudy(paper *Paper, runs []*run, partial bool) *Study {
	s := &Study{Partial: partial, Violations: []string{}, Printed: paper}
	for _, r := range runs {
		s.Results = append(s.Results, r.result(paper))
	}
	s.Cells = s.count()
	s.check()
	return s
}

// count compares optima with the paper's figures.
func (s *Study) count() []Cells {
	var list []Cells
	for b := range NumBaselines {
		c := Cells{Baseline: b.String()}
		for i := range s.Results {
			for _, n := range s.Results[i].Networks {
				if printed := n.Paper.Partitioning; n.Done && printed != nil {
					c.All++
					switch x := n.Ratios.Of(b); {
					case x.Optimum <= *printed:
						c.AtMost++
					case x.Bound > *printed:
						c.Unreachable++
					}
				}
			}
		}
		list = append(list, c)
	}
	return list
}

// rounding is more than the rounding of sums.
const rounding = 1e-9

// check lists the cells in which a technique beats the optimum.
func (s *Study) check() {
	for i := range s.Results {
		r := &s.Results[i]
		for j := range r.Networks {
			n := &r.Networks[j]
			for b := range NumBaselines {
				ratio := n.Ratios.Of(b)
				for name, v := range map[string]float64{
					"interleaving": ratio.Interleaving, "techniques": ratio.BestOfAll, "best-sequential": ratio.Sequential,
				} {
					if n.Done && v < ratio.Optimum*(1-rounding) {
						s.Violations = append(s.Violations, fmt.Sprintf("%s, %s: %s over %s is %.6f, the optimum %.6f",
							&r.Setting, n.Name, name, b, v, ratio.Optimum))
					}
				}
			}
		}
	}
}

// backward reports whether a pass has gradients to interleave.
func (l *Layer) backward() bool { return l.Problem.Pass == space.Backward }
