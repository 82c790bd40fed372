package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/cases"
	"github.com/npu-tune/npu-tune/evaluator/simulator"
	"github.com/npu-tune/npu-tune/results/table"
)

// buckets are the intervals of the printed timeline.
const buckets = 10

// printSimulation prints a run; as CSV where the cycles go.
func printSimulation(w io.Writer, t *target, r *simulator.Report, f table.Format) error {
	stalls := stallsTable(&r.Stalls)
	switch f {
	case table.CSV:
		return stalls.Write(w, f)
	case table.JSON:
		return printSimulationJSON(w, t, r)
	}
	if _, err := fmt.Fprintf(w, "%s\n\n%s\n", t.name(), fenced(t.problem.LoopNest(t.s), f)); err != nil {
		return err
	}
	cost := costsTable([]cases.Case{{Problem: *t.problem, Schedule: *t.s}}, []string{t.layer}, []evaluator.Cost{r.Cost})
	cost.Columns[len(cost.Columns)-1].Hidden = true // there is nothing to compare with
	if err := printTables(w, f, cost, stalls, areasTable(r), timelineTable(r)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "At most %d of the %d bytes of SPM that the schedule takes hold a tile at once.\n", r.PeakSPM, r.Cost.SPMBytes)
	return err
}

// fenced makes text a block of code where it must be one.
func fenced(text string, f table.Format) string {
	if f == table.Markdown {
		return "```text\n" + text + "```\n"
	}
	return text
}

// cycles is a cause with the cycles that it takes.
type cycles struct {
	cause, key string
	cycles     float64
}

func causes(s *simulator.Stalls) []cycles {
	return []cycles{
		{"the array works", "compute_bound", s.ComputeBound},
		{"the array waits for loads", "load_bound", s.LoadBound},
		{"the array waits for stores", "store_bound", s.StoreBound},
		{"the first load", "prologue", s.Prologue},
		{"the last store", "epilogue", s.Epilogue},
		{"sums over cores", "reduction", s.Reduction},
	}
}

// stallsTable says where the cycles go, all batches. A stage's cycles belong to what
// takes longest in it.
func stallsTable(s *simulator.Stalls) *table.Table {
	t := &table.Table{Title: "Where the cycles go, by what each stage takes longest for", Columns: []table.Column{
		{Title: "stages in which", Key: "cause"},
		{Title: "cycles", Key: "cycles"},
		{Title: "%", Key: "share", Scale: 0.01, Digits: 1},
	}}
	total := s.Sum()
	for _, c := range causes(s) {
		t.Add(c.cause, c.cycles, share(c.cycles, total))
	}
	t.Add("all", total, share(total, total))
	return t
}

func share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}

func areasTable(r *simulator.Report) *table.Table {
	t := &table.Table{Title: "SPM of a core", Columns: []table.Column{
		{Title: "region", Key: "region"}, {Title: "run", Key: "run"}, {Title: "pool", Key: "pool"},
		{Title: "offset", Key: "offset_bytes"}, {Title: "slots", Key: "slots"}, {Title: "bytes per slot", Key: "slot_bytes"},
		{Title: "copies", Key: "copies"}, {Title: "bytes", Key: "bytes"},
	}}
	for _, a := range r.Areas {
		t.Add(a.Region.String(), int64(a.Run), int64(a.Pool), a.Offset, a.Slots, a.SlotBytes, a.Replicas, a.Slots*a.SlotBytes*a.Replicas)
	}
	return t
}

// timelineTable shows one batch in intervals of equal length.
func timelineTable(r *simulator.Report) *table.Table {
	t := &table.Table{Title: "One batch in ten intervals", Columns: []table.Column{
		{Title: "from cycle", Key: "from_cycle"},
		{Title: "array busy %", Key: "array_busy", Scale: 0.01, Digits: 1},
		{Title: "read B/cycle", Key: "read_bytes_per_cycle", Digits: 2},
		{Title: "written B/cycle", Key: "written_bytes_per_cycle", Digits: 2},
		{Title: "SPM bytes in use", Key: "occupied_bytes"},
	}}
	for _, b := range r.Timeline {
		t.Add(b.Start, share(b.Compute, r.Width), share(b.ReadBytes, r.Width), share(b.WriteBytes, r.Width), b.Occupied)
	}
	return t
}

// simulationJSON is a run as it stands in JSON.
type simulationJSON struct {
	Layer    string             `json:"layer"`
	Pass     string             `json:"pass"`
	Schedule string             `json:"schedule,omitempty"`
	LoopNest []string           `json:"loop_nest"`
	Cost     json.RawMessage    `json:"cost"`
	Stalls   map[string]float64 `json:"cycles_by_cause"`
	PeakSPM  int64              `json:"peak_spm_bytes"`
	SPM      json.RawMessage    `json:"spm"`
	Timeline json.RawMessage    `json:"timeline_of_one_batch"`
}

func printSimulationJSON(w io.Writer, t *target, r *simulator.Report) error {
	out := simulationJSON{
		Layer: t.layer, Pass: t.pass, Schedule: t.schedule, PeakSPM: r.PeakSPM, Stalls: map[string]float64{},
		LoopNest: strings.Split(strings.TrimRight(t.problem.LoopNest(t.s), "\n"), "\n"),
	}
	for _, c := range causes(&r.Stalls) {
		out.Stalls[c.key] = c.cycles
	}
	var err error
	if out.Cost, err = cases.EncodeCost(t.s.Pass, &r.Cost); err != nil {
		return err
	}
	if out.SPM, err = tableJSON(areasTable(r)); err != nil {
		return err
	}
	if out.Timeline, err = tableJSON(timelineTable(r)); err != nil {
		return err
	}
	data, err := json.MarshalIndent(&out, "", "  ")
	if err == nil {
		_, err = w.Write(append(data, '\n'))
	}
	return err
}
