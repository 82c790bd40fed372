package results_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/results"
	"github.com/npu-tune/npu-tune/results/table"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

// explained is a run of one backward pass whose best is sequential.
type explained struct {
	best, interleaved evaluator.Cost // interleaved without cycles: none fits
	cut               bool           // the search for interleaved ones did not end
	twiceSPM          float64        // cycles
	twiceBandwidth    float64        // cycles; 0: not asked
}

func (e explained) run() *results.Run {
	n := npu()
	p := &space.Problem{Layer: models.Layer{Name: "fc", M: 8, N: 8, K: 8}, HW: n.Params(), Pass: space.Backward}
	sequential := p.Smallest()
	sequential.Shared = 0
	fine := sequential
	fine.Shared, fine.Burst = 3, 1
	found := func(s space.Schedule, c evaluator.Cost) search.Outcome {
		return search.Outcome{Strategy: "exhaustive", Proven: true, Bound: c.Cycles, Top: []search.Candidate{{Schedule: s, Cost: c}}}
	}
	in := results.JobInput{Layers: []string{"fc"}, Count: 2, Problem: p, Outcome: found(sequential, e.best)}
	in.Outcome.Stats = search.Stats{Evaluations: 8, Cut: 30, Infeasible: 9}
	with := search.Outcome{Proven: !e.cut}
	if e.interleaved.Cycles > 0 {
		with = found(fine, e.interleaved)
	}
	in.Interleaved = &with
	if e.twiceBandwidth > 0 {
		in.Variants = []results.VariantInput{
			{SPM: 0.5, Bandwidth: 1, Outcome: search.Outcome{Proven: true}},
			{SPM: 2, Bandwidth: 1, Outcome: found(sequential, evaluator.Cost{Cycles: e.twiceSPM})},
			{SPM: 1, Bandwidth: 2, Outcome: found(sequential, evaluator.Cost{Cycles: e.twiceBandwidth})},
		}
	}
	return &results.Run{
		Tool: "npu-tune test", Model: results.Model{Name: "toy"}, NPU: n,
		Search: results.Search{Pass: "backward", Objective: "latency", Strategy: "auto", Evaluator: "analytic", Ended: results.Complete},
		Jobs:   []results.JobInput{in},
	}
}

// perCycle is the bandwidth of npu.
func perCycle(n *hardware.NPU) float64 { p := n.Params(); return p.BytesPerCycle }

func TestWhy(t *testing.T) {
	bytesIn := func(cycles float64) int64 { return int64(cycles * perCycle(npu())) }
	array := evaluator.Cost{Cycles: 1000, ComputeCycles: 900, DRAMBytes: bytesIn(500)}
	dram := evaluator.Cost{Cycles: 1000, ComputeCycles: 300, DRAMBytes: bytesIn(800)}
	busy := evaluator.Cost{Cycles: 1000, ComputeCycles: 990, DRAMBytes: bytesIn(500)}
	with := func(c evaluator.Cost, cycles float64, compute int64, moves float64) evaluator.Cost {
		c.Cycles, c.ComputeCycles, c.DRAMBytes = cycles, compute, bytesIn(moves)
		return c
	}
	kept := array
	kept.Slots[space.DYRegion] = 4
	for name, c := range map[string]struct {
		run              explained
		resource, reason string
	}{
		"the array is busier":                  {explained{best: array}, "array", "no_room"},
		"the DRAM interface is busier":         {explained{best: dram}, "dram", "no_room"},
		"more of anything gains nothing":       {explained{best: dram, twiceSPM: 999, twiceBandwidth: 995}, "array", "no_room"},
		"bandwidth gains most":                 {explained{best: array, twiceSPM: 950, twiceBandwidth: 900}, "dram", "no_room"},
		"SPM gains most":                       {explained{best: dram, twiceSPM: 700, twiceBandwidth: 900}, "spm", "no_room"},
		"SPM gains as much":                    {explained{best: dram, twiceSPM: 900, twiceBandwidth: 900}, "spm", "no_room"},
		"time ended":                           {explained{best: dram, cut: true}, "dram", "not_searched"},
		"interleaved costs the same":           {explained{best: dram, interleaved: dram}, "dram", "tie"},
		"dY is kept":                           {explained{best: kept, interleaved: with(array, 1100, 900, 500)}, "array", "dy_stays"},
		"nothing but computing":                {explained{best: busy, interleaved: with(busy, 1100, 990, 400)}, "array", "array_bound"},
		"interleaved moves more":               {explained{best: array, interleaved: with(array, 1100, 900, 600)}, "array", "spm"},
		"interleaved moves less, folds more":   {explained{best: array, interleaved: with(array, 1100, 1000, 400)}, "array", "array"},
		"interleaved overlaps less, no better": {explained{best: array, interleaved: with(array, 1100, 900, 400)}, "array", "overlap"},
	} {
		d := results.New(c.run.run(), search.Latency)
		w := d.Jobs[0].Why
		if w.Resource != c.resource || w.NotInterleaved == nil || w.NotInterleaved.Reason != c.reason {
			t.Errorf("%s: binds %s, not interleaved for %+v, want %s and %s", name, w.Resource, w.NotInterleaved, c.resource, c.reason)
		}
		if want := (results.Rejected{Bound: 30, SPM: 9, Cost: 7}); w.Rejected != want {
			t.Errorf("%s: rejected %+v, want %+v", name, w.Rejected, want)
		}
		if text := strings.Join(w.Text, " "); !strings.Contains(text, "It is not interleaved") {
			t.Errorf("%s: text %q says nothing of interleaving", name, text)
		}
		again, err := results.Decode(encode(t, d))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(d, again); diff != "" {
			t.Errorf("%s: read back (-written +read):\n%s", name, diff)
		}
	}
}

func TestWhyNotAsked(t *testing.T) {
	run := explained{best: evaluator.Cost{Cycles: 10, ComputeCycles: 5}}.run()
	run.Jobs[0].Interleaved = nil
	if w := results.New(run, search.Latency).Jobs[0].Why; w == nil || w.NotInterleaved != nil {
		t.Errorf("why is %+v, want no word on interleaving", w)
	}
	run.Jobs[0].Outcome.Top = nil
	if w := results.New(run, search.Latency).Jobs[0].Why; w != nil {
		t.Errorf("there is no best, yet %+v says why", w)
	}
}

func TestSensitivityTable(t *testing.T) {
	d := results.New(explained{best: evaluator.Cost{Cycles: 1000}, twiceSPM: 900, twiceBandwidth: 500}.run(), search.Latency)
	if !d.HasSensitivity() {
		t.Fatal("sensitivity is lost")
	}
	var b bytes.Buffer
	if err := d.SensitivityTable().Write(&b, table.CSV); err != nil {
		t.Fatal(err)
	}
	want := `layer,count,pass,latency,spm_times_0.5,spm_times_2,bandwidth_times_2,optima
fc,2,backward,1000,nothing fits,0.9,0.5,proven
all,,,2000,,0.9,0.5,
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}
