package results

import (
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/results/table"
	"github.com/npu-tune/npu-tune/search"
)

// Beside is a schedule that stands beside a job's best.
type Beside struct {
	Job *Job
	// Schedule with its cost.
	Schedule search.Candidate
	// From says what of it was written by hand: all, or what.
	From string
}

// BesideTable puts schedules beside the best ones of a result: what they cost,
// relative to ours, and what they are.
func BesideTable(npu *hardware.NPU, name string, list []Beside) *table.Table {
	t := &table.Table{Title: "Schedules of " + name + " beside the best found (figures of one occurrence)", Columns: []table.Column{
		{Title: "layer", Key: "layer"}, {Title: "×", Key: "count"}, {Title: "pass", Key: "pass"}, {Title: "m×n×k", Key: "shape"},
		{Title: "ours: cycles", Key: "best_cycles"}, {Title: "DRAM MB", Key: "best_dram_bytes", Scale: mega, Digits: 2},
		{Title: "theirs: cycles", Key: "cycles"}, {Title: "DRAM MB", Key: "dram_bytes", Scale: mega, Digits: 2},
		{Title: "vs ours", Key: "cycles_to_best", Digits: 3},
		{Title: "SPM KiB", Key: "spm_bytes", Scale: kibi, Digits: 0},
		{Title: "array busy", Key: "utilization", Digits: 3},
		{Title: "energy mJ", Key: "energy_pj", Scale: milli, Digits: 3},
		{Title: "interleaving", Key: "granularity"},
		{Title: "order", Key: "order"},
		{Title: "tile m×n×k", Key: "tile"},
		{Title: "flow", Key: "dataflow"},
		{Title: "by hand", Key: "by_hand"},
	}}
	for i := range list {
		b := &list[i]
		c, s := &b.Schedule.Cost, &b.Schedule.Schedule
		var cycles, bytes, ratio any
		if best := b.Job.Best; best != nil {
			cycles, bytes = best.Cost.Cycles, best.Cost.DRAMBytes
			if best.Cost.Cycles > 0 {
				ratio = c.Cycles / best.Cost.Cycles
			}
		}
		t.Add(b.Job.Layer.Name, b.Job.Count, b.Job.Pass.String(), shape(&b.Job.Layer), cycles, bytes, c.Cycles, c.DRAMBytes, ratio,
			c.SPMBytes, utilization(npu, &b.Schedule), c.EnergyPJ, granularity(s), order(s), tiles(s), dataflow(s), b.From)
	}
	return t
}
