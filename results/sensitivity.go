package results

import (
	"fmt"
	"math"

	"github.com/npu-tune/npu-tune/results/table"
	"github.com/npu-tune/npu-tune/search"
)

// VariantInput is what was found for a job on other hardware.
type VariantInput struct {
	SPM, Bandwidth float64 // factors
	Outcome        search.Outcome
}

// Variant is a job's optimum on an NPU with another SPM or bandwidth.
type Variant struct {
	SPM       float64 `json:"spm"`       // factor on the bytes of every SPM
	Bandwidth float64 `json:"bandwidth"` // factor on the DRAM interface's bytes per cycle
	// Figures are of the best schedule; nil where none was found.
	Figures *VariantFigures `json:"figures"`
	// Proven says that no schedule has a smaller objective; without figures,
	// that nothing fits.
	Proven bool `json:"proven"`
	// Bound is an objective that no schedule falls below, nil if unknown.
	Bound *float64 `json:"bound"`
}

// VariantFigures are what a schedule of one occurrence costs.
type VariantFigures struct {
	Objective float64 `json:"objective"` // what was made small
	Cycles    float64 `json:"cycles"`
	DRAMBytes int64   `json:"dram_bytes"`
	SPMBytes  int64   `json:"spm_bytes"`
	EnergyPJ  float64 `json:"energy_pj"`
}

func newVariant(in *VariantInput, objective search.Objective) Variant {
	v := Variant{SPM: in.SPM, Bandwidth: in.Bandwidth, Proven: in.Outcome.Proven}
	if b := in.Outcome.Bound; b > 0 && !math.IsInf(b, 0) {
		v.Bound = &b
	}
	if best := in.Outcome.Best(); best != nil {
		c := &best.Cost
		v.Figures = &VariantFigures{objective.Value(c), c.Cycles, c.DRAMBytes, c.SPMBytes, c.EnergyPJ}
	}
	return v
}

// HasSensitivity reports whether the optima on other hardware are known.
func (d *Document) HasSensitivity() bool {
	for i := range d.Jobs {
		if len(d.Jobs[i].Sensitivity) > 0 {
			return true
		}
	}
	return false
}

// SensitivityTable has a row per job: what its optimum becomes at other sizes
// of the SPM and other bandwidths, in parts of what it is; last the sum over
// all layers, weighted by their counts.
func (d *Document) SensitivityTable() *table.Table {
	objective, err := search.ParseObjective(d.Search.Objective)
	if err != nil { // a document says one of the objectives
		return &table.Table{}
	}
	t := &table.Table{
		Title: "Optimum on other hardware, over the optimum on this one",
		Columns: []table.Column{
			{Title: "layer", Key: "layer"},
			{Title: "×", Key: "count"},
			{Title: "pass", Key: "pass"},
			{Title: fmt.Sprintf("%s, %s", objective, objective.Unit()), Key: d.Search.Objective},
		},
	}
	factors := d.variants()
	for _, v := range factors {
		t.Columns = append(t.Columns, table.Column{Title: v.title(), Key: v.key(), Digits: 3})
	}
	t.Columns = append(t.Columns, table.Column{Title: "optima", Key: "optima"})
	sums := newVariantSums(len(factors))
	for i := range d.Jobs {
		j := &d.Jobs[i]
		if j.Best == nil {
			continue
		}
		ours := objective.Value(&j.Best.Cost)
		cells := []any{j.Layer.Name, j.Count, j.Pass.String(), ours}
		for k := range factors {
			cells = append(cells, j.Sensitivity.ratio(k, ours))
		}
		t.Add(append(cells, j.Sensitivity.standing())...)
		sums.add(objective, j, ours)
	}
	t.Add(sums.row()...)
	return t
}

// variants returns the hardware that jobs were tried on, the same for all.
func (d *Document) variants() Sensitivity {
	for i := range d.Jobs {
		if len(d.Jobs[i].Sensitivity) > 0 {
			return d.Jobs[i].Sensitivity
		}
	}
	return nil
}

func (v *Variant) title() string {
	if v.SPM != 1 {
		return fmt.Sprintf("SPM ×%g", v.SPM)
	}
	return fmt.Sprintf("bandwidth ×%g", v.Bandwidth)
}

func (v *Variant) key() string {
	if v.SPM != 1 {
		return fmt.Sprintf("spm_times_%g", v.SPM)
	}
	return fmt.Sprintf("bandwidth_times_%g", v.Bandwidth)
}

// Sensitivity is a job's optima on other hardware.
type Sensitivity []Variant

// ratio is the cell of a variant: its objective over ours.
func (s Sensitivity) ratio(i int, ours float64) any {
	switch {
	case i >= len(s):
		return nil
	case s[i].Figures == nil && s[i].Proven:
		return "nothing fits"
	case s[i].Figures == nil || ours <= 0:
		return nil
	}
	return s[i].Figures.Objective / ours
}

// standing says in a word how good the optima are.
func (s Sensitivity) standing() string {
	proven := 0
	for i := range s {
		if s[i].Proven {
			proven++
		}
	}
	if proven == len(s) {
		return "proven"
	}
	return fmt.Sprintf("%d of %d proven", proven, len(s))
}

// variantSums adds up the optima of all jobs.
type variantSums struct {
	ours     float64
	variants []float64
	missing  []bool
}

func newVariantSums(n int) *variantSums {
	return &variantSums{variants: make([]float64, n), missing: make([]bool, n)}
}

// add adds a job; SPM bytes are in use one layer at a time.
func (s *variantSums) add(objective search.Objective, j *Job, ours float64) {
	sum := func(total, v float64) float64 {
		if objective == search.SPM {
			return max(total, v)
		}
		return total + v*float64(j.Count)
	}
	s.ours = sum(s.ours, ours)
	for i := range s.variants {
		if i >= len(j.Sensitivity) || j.Sensitivity[i].Figures == nil {
			s.missing[i] = true
			continue
		}
		s.variants[i] = sum(s.variants[i], j.Sensitivity[i].Figures.Objective)
	}
}

func (s *variantSums) row() []any {
	cells := []any{"all", nil, nil, s.ours}
	for i, v := range s.variants {
		if s.missing[i] || s.ours <= 0 {
			cells = append(cells, nil)
			continue
		}
		cells = append(cells, v/s.ours)
	}
	return append(cells, nil)
}
