package results

import (
	"fmt"

	"github.com/npu-tune/npu-tune/results/table"
	"github.com/npu-tune/npu-tune/space"
)

const (
	mega    = 1e6
	kibi    = 1 << 10
	milli   = 1e9  // pJ in a mJ
	percent = 0.01 // of one
)

// reference is the baseline that each layer's gain is measured against.
const reference = "conventional"

// LayersTable has a row per job: what it is, what the best schedule costs (of
// one occurrence) and gains, and which schedule it is.
func (d *Document) LayersTable() *table.Table {
	t := &table.Table{
		Title: "Best schedule per layer and pass (figures of one occurrence)",
		Columns: []table.Column{
			{Title: "layer", Key: "layer"},
			{Title: "×", Key: "count"},
			{Title: "pass", Key: "pass"},
			{Title: "m×n×k", Key: "shape"},
			{Title: "cycles", Key: "cycles"},
			{Title: "gain", Key: "speedup_over_conventional", Digits: 2},
			{Title: "DRAM MB", Key: "dram_bytes", Scale: mega, Digits: 2},
			{Title: "dY MB", Key: "dy_bytes", Scale: mega, Digits: 2},
			{Title: "SPM KiB", Key: "spm_bytes", Scale: kibi, Digits: 0},
			{Title: "util %", Key: "utilization", Scale: percent, Digits: 1},
			{Key: "energy_pj", Hidden: true},
			{Key: "ops", Hidden: true},
			{Title: "interleaving", Key: "granularity"},
			{Title: "order", Key: "order"},
			{Title: "tile m×n×k", Key: "tile"},
			{Title: "array", Key: "dataflow"},
			{Title: "optimum", Key: "optimum"},
			{Key: "reach_cycles", Hidden: true},
			{Key: "reach_dram_bytes", Hidden: true},
			{Key: "reach_energy_pj", Hidden: true},
			{Key: "reach_spm_bytes", Hidden: true},
			{Title: "gap %", Key: "gap_to_reach", Scale: percent, Digits: 1},
		},
	}
	for i := range d.Jobs {
		t.Add(d.Jobs[i].row()...)
	}
	return t
}

func (j *Job) row() []any {
	row := []any{j.Layer.Name, j.Count, j.Pass.String(), shape(&j.Layer)}
	if j.Best == nil {
		none := make([]any, 12)
		return append(append(append(row, none...), j.Found.proof()), j.Reach.cells()...)
	}
	s, c := &j.Best.Schedule, &j.Best.Cost
	var gain, dy any
	if b := j.Baseline(reference); b != nil && b.Solution != nil && c.Cycles > 0 {
		gain = b.Solution.Cost.Cycles / c.Cycles
	}
	if j.Pass != space.Forward {
		dy = c.Traffic[space.GradY].Read + c.Traffic[space.GradY].Write
	}
	row = append(row, c.Cycles, gain, c.DRAMBytes, dy, c.SPMBytes, j.Best.Utilization, c.EnergyPJ, c.Ops,
		granularity(s), order(s), tiles(s), dataflow(s), j.Found.proof())
	return append(row, j.Reach.cells()...)
}

// cells are what a table shows of how far any schedule could go.
func (r *Reach) cells() []any {
	if r == nil {
		return make([]any, 5)
	}
	return []any{r.Cycles, r.DRAMBytes, r.EnergyPJ, r.SPMBytes, r.gap()}
}

// gap is a table's cell.
func (r *Reach) gap() any {
	if r == nil || r.Gap == nil {
		return nil
	}
	return *r.Gap
}

// TotalsTable compares the sums over all layers: each way to tune by hand, and
// the best found.
func (d *Document) TotalsTable() *table.Table {
	t := &table.Table{
		Title: "All layers, weighted by their counts: tuned by hand, and ours",
		Columns: []table.Column{
			{Title: "pass", Key: "pass"},
			{Title: "schedules", Key: "schedule"},
			{Title: "cycles", Key: "cycles"},
			{Title: "ms", Key: "milliseconds", Digits: 3},
			{Title: "vs ours", Key: "cycles_to_ours", Digits: 3},
			{Title: "DRAM MB", Key: "dram_bytes", Scale: mega, Digits: 1},
			{Title: "dY MB", Key: "dy_bytes", Scale: mega, Digits: 1},
			{Title: "energy mJ", Key: "energy_pj", Scale: milli, Digits: 2},
			{Title: "SPM KiB", Key: "spm_bytes", Scale: kibi, Digits: 0},
			{Title: "gap %", Key: "gap_to_reach", Scale: percent, Digits: 1},
			{Title: "note", Key: "note"},
		},
	}
	for i := range d.Totals {
		total := &d.Totals[i]
		f := total.Figures
		if f == nil {
			t.Add(total.Pass, total.Schedule, nil, nil, nil, nil, nil, nil, nil, nil, total.note())
			continue
		}
		t.Add(total.Pass, total.Schedule, f.Cycles, f.Milliseconds, f.CyclesToOurs, f.DRAMBytes, f.DYBytes, f.EnergyPJ, f.SPMBytes, total.Reach.gap(), total.note())
	}
	return t
}

// note says what to know of a total.
func (t *Total) note() string {
	switch {
	case t.Missing > 0:
		return fmt.Sprintf("missing for %s", passes(t.Missing))
	case t.Unproven > 0:
		return fmt.Sprintf("not proven for %s", passes(t.Unproven))
	}
	return ""
}

// passes counts passes of layers.
func passes(n int64) string {
	if n == 1 {
		return "1 pass of a layer"
	}
	return fmt.Sprintf("%d passes of layers", n)
}
