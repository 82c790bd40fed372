package results_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/results"
	"github.com/npu-tune/npu-tune/results/table"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

// candidate is a schedule of one tile with given figures.
func candidate(pass space.Pass, cycles float64, bytes, dy int64) *search.Candidate {
	c := search.Candidate{Schedule: space.Schedule{Pass: pass}}
	for _, op := range pass.Ops() {
		c.Schedule.Ops[op] = space.OpSchedule{Tile: [space.NumDims]int64{8, 4, 2}, Order: space.Orders[0]}
	}
	c.Cost = evaluator.Cost{Cycles: cycles, DRAMBytes: bytes, EnergyPJ: 2e9, MACs: 64 * int64(len(pass.Ops())), SPMBytes: 2048, Ops: 1}
	if pass != space.Forward {
		c.Cost.Traffic[space.GradY].Read = dy
	}
	if pass == space.Backward {
		c.Schedule.Shared = 3
		c.Schedule.Burst = 2
		c.Cost.Slots[space.DYRegion] = 1
	}
	return &c
}

func job(name string, count int64, pass space.Pass, best *search.Candidate, baselines ...results.BaselineInput) results.JobInput {
	in := results.JobInput{
		Layers: []string{name}, Count: count, Baselines: baselines,
		Problem: &space.Problem{Layer: models.Layer{Name: name, M: 2, N: 1, K: 1}, Pass: pass, HW: hardware.Params{
			Rows: 1, Cols: 1, BytesPerCycle: 2, BytesIn: 2, BytesOut: 2, BytesAcc: 4, Cores: 1}},
		Outcome: search.Outcome{Strategy: "exhaustive", Proven: best != nil},
	}
	if best != nil {
		in.Outcome.Top = []search.Candidate{*best}
	}
	return in
}

func byHand(name string, best *search.Candidate) results.BaselineInput {
	b := results.BaselineInput{Name: name, Best: best, Proven: true}
	if best == nil {
		b.Reason = "12 bytes over"
	}
	return b
}

// training is one convolution and two equal layers above it, forward and backward.
func training() *results.Document { return results.New(trainingRun(), search.Latency) }

func trainingRun() *results.Run {
	return &results.Run{
		Tool: "npu-tune test", Model: results.Model{Name: "toy"},
		NPU: &hardware.NPU{Name: "tiny", ClockMHz: 500, Cores: 1, Array: hardware.Array{Rows: 2, Cols: 2}},
		Jobs: []results.JobInput{
			job("conv1", 1, space.Forward, candidate(space.Forward, 100, 1e6, 0),
				byHand("conventional", candidate(space.Forward, 200, 2e6, 0)), byHand("mnpusim", nil)),
			job("conv1", 1, space.DWOnly, candidate(space.DWOnly, 50, 5e5, 2e5),
				byHand("conventional", candidate(space.DWOnly, 50, 5e5, 2e5))),
			job("fc", 2, space.Forward, candidate(space.Forward, 10, 1e5, 0),
				byHand("conventional", candidate(space.Forward, 10, 1e5, 0)), byHand("mnpusim", candidate(space.Forward, 30, 1e5, 0))),
			job("fc", 2, space.Backward, candidate(space.Backward, 25, 3e5, 1e5),
				byHand("conventional", candidate(space.Backward, 75, 6e5, 3e5))),
		},
	}
}

func TestTotalsWeighLayersByCount(t *testing.T) {
	type row struct {
		pass, schedule string
		cycles, ratio  float64
		bytes, dy      int64
	}
	want := []row{
		{"forward", "conventional", 220, 220.0 / 120, 2_200_000, 0},
		{"forward", "mnpusim", 0, 0, 0, 0}, // does not fit conv1
		{"forward", "ours", 120, 1, 1_200_000, 0},
		{"backward", "conventional", 200, 2, 1_700_000, 800_000},
		{"backward", "ours", 100, 1, 1_100_000, 400_000},
		{"training", "conventional", 420, 420.0 / 220, 3_900_000, 800_000},
		{"training", "mnpusim", 0, 0, 0, 0},
		{"training", "ours", 220, 1, 2_300_000, 400_000},
	}
	var got []row
	for _, total := range training().Totals {
		r := row{pass: total.Pass, schedule: total.Schedule}
		if f := total.Figures; f != nil {
			r.cycles, r.ratio, r.bytes, r.dy = f.Cycles, f.CyclesToOurs, f.DRAMBytes, f.DYBytes
			if f.Milliseconds != f.Cycles/500e3 {
				t.Errorf("%s %s: %v ms of %v cycles at 500 MHz", r.pass, r.schedule, f.Milliseconds, f.Cycles)
			}
		}
		got = append(got, r)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestSummarySaysWhatWasGainedAndWhy(t *testing.T) {
	const want = "One training step of toy on tiny takes 220 cycles (0.00044 ms), 1.91× as fast as conventional " +
		"(DRAM traffic 3.9 MB → 2.3 MB); dX and dW read dY from one region of the SPM in 2 of 2 layers, and the backward passes " +
		"move 400.0 kB of dY instead of 800.0 kB with conventional (-50.0 %); every schedule is proven optimal, within 83.6 % of what any schedule could reach."
	if diff := cmp.Diff(want, training().Summary); diff != "" {
		t.Error(diff)
	}
}

func TestSummaryComparesWhatWasMadeSmall(t *testing.T) {
	for objective, want := range map[string]string{
		"latency": "(0.00044 ms), 1.91× as fast as conventional (DRAM traffic 3.9 MB → 2.3 MB); ",
		"traffic": "(0.00044 ms), with 1.70× less DRAM traffic than conventional (3.9 MB → 2.3 MB); ",
		"energy":  "(0.00044 ms), with 1.00× less energy than conventional (12 mJ → 12 mJ); ",
		"edp":     "(0.00044 ms), with a 1.91× smaller energy-delay product than conventional; ",
		"spm":     "(0.00044 ms), with 1.00× less SPM than conventional (2.0 kB → 2.0 kB); ",
	} {
		r := trainingRun()
		r.Search.Objective = objective
		if got := results.New(r, search.Latency).Summary; !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want it to contain %q", objective, got, want)
		}
	}
}

func TestSummaryOfARunWithoutSchedules(t *testing.T) {
	d := results.New(&results.Run{Model: results.Model{Name: "toy"}, NPU: &hardware.NPU{ClockMHz: 1},
		Jobs: []results.JobInput{job("fc", 1, space.Forward, nil)}}, search.Latency)
	if want := "No schedule was found for some layers of toy, so there is nothing to compare."; d.Summary != want {
		t.Errorf("got %q, want %q", d.Summary, want)
	}
}

func render(t *testing.T, tab *table.Table, f table.Format) string {
	t.Helper()
	var b strings.Builder
	if err := tab.Write(&b, f); err != nil {
		t.Fatal(err)
	}
	return "\n" + b.String()
}

func TestLayersTable(t *testing.T) {
	want := `
layer,count,pass,shape,cycles,speedup_over_conventional,dram_bytes,dy_bytes,spm_bytes,utilization,energy_pj,ops,granularity,order,tile,dataflow,optimum,reach_cycles,reach_dram_bytes,reach_energy_pj,reach_spm_bytes,gap_to_reach
conv1,1,forward,2×1×1,100,2,1000000,,2048,0.16,2e+09,1,,mnk,8×4×2,os,proven,4.99999999995,10,0,14,0.9500000000004999
conv1,1,dw,2×1×1,50,1,500000,200000,2048,0.32,2e+09,1,,mnk,8×4×2,os,proven,4.99999999995,10,0,12,0.900000000001
fc,2,forward,2×1×1,10,1,100000,,2048,1.6,2e+09,1,,mnk,8×4×2,os,proven,4.99999999995,10,0,14,0.500000000005
fc,2,backward,2×1×1,25,3,300000,100000,2048,1.28,2e+09,1,"fine, burst 2",mnk,8×4×2,os,proven,7.99999999992,16,0,14,0.6800000000032
`
	if diff := cmp.Diff(want, render(t, training().LayersTable(), table.CSV)); diff != "" {
		t.Error(diff)
	}
}

func TestTotalsTable(t *testing.T) {
	want := `
**All layers, weighted by their counts: tuned by hand, and ours**

| pass     | schedules    | cycles |    ms | vs ours | DRAM MB | dY MB | energy mJ | SPM KiB | gap % | note                           |
|:---------|:-------------|-------:|------:|--------:|--------:|------:|----------:|--------:|------:|:-------------------------------|
| forward  | conventional |    220 | 0.000 |   1.833 |     2.2 |   0.0 |      6.00 |       2 |  93.2 |                                |
| forward  | mnpusim      |      – |     – |       – |       – |     – |         – |       – |     – | missing for 1 pass of a layer  |
| forward  | ours         |    120 | 0.000 |   1.000 |     1.2 |   0.0 |      6.00 |       2 |  87.5 |                                |
| backward | conventional |    200 | 0.000 |   2.000 |     1.7 |   0.8 |      6.00 |       2 |  89.5 |                                |
| backward | ours         |    100 | 0.000 |   1.000 |     1.1 |   0.4 |      6.00 |       2 |  79.0 |                                |
| training | conventional |    420 | 0.001 |   1.909 |     3.9 |   0.8 |     12.00 |       2 |  91.4 |                                |
| training | mnpusim      |      – |     – |       – |       – |     – |         – |       – |     – | missing for 4 passes of layers |
| training | ours         |    220 | 0.000 |   1.000 |     2.3 |   0.4 |     12.00 |       2 |  83.6 |                                |
`
	if diff := cmp.Diff(want, render(t, training().TotalsTable(), table.Markdown)); diff != "" {
		t.Error(diff)
	}
}

// TestReach: x, w and y of a forward pass are 10 bytes, at 2 bytes per cycle. A
// backward pass moves dx, dw and one dy more: 16. conv1 occurs once, fc twice.
func TestReach(t *testing.T) {
	gap := func(v float64) *float64 { return &v }
	near := cmpopts.EquateApprox(1e-9, 0)
	want := &results.Reach{Cycles: 5, DRAMBytes: 10, SPMBytes: 14, Gap: gap(0.95)}
	d := training()
	if diff := cmp.Diff(want, d.Jobs[0].Reach, near); diff != "" {
		t.Errorf("a layer: -want +got:\n%s", diff)
	}
	for i := range d.Totals {
		total := &d.Totals[i]
		if total.Pass != "training" {
			continue
		}
		var want *results.Reach
		if total.Figures != nil {
			want = &results.Reach{Cycles: 3*5 + 5 + 2*8, DRAMBytes: 3*10 + 10 + 2*16, SPMBytes: 14, Gap: gap(1 - 36/total.Figures.Cycles)}
		}
		if diff := cmp.Diff(want, total.Reach, near); diff != "" {
			t.Errorf("%s: -want +got:\n%s", total.Schedule, diff)
		}
	}
}

// TestReachBoundsWhatIsNotProven: a search that proves nothing has a bound
// nevertheless, and a better one of its own counts.
func TestReachBoundsWhatIsNotProven(t *testing.T) {
	for _, c := range []struct {
		objective  search.Objective
		proven     bool
		own, bound float64
	}{
		{search.Latency, false, 0, 5},
		{search.Latency, false, 50, 50},
		{search.Latency, true, 100, 100},
		{search.Traffic, false, 0, 10},
		{search.SPM, false, 0, 14},
	} {
		r := trainingRun()
		r.Jobs = r.Jobs[:1]
		r.Jobs[0].Outcome.Proven, r.Jobs[0].Outcome.Bound = c.proven, c.own
		f := results.New(r, c.objective).Jobs[0].Found
		if f.Bound == nil || f.Gap == nil || math.Abs(*f.Bound-c.bound) > 1e-9*c.bound {
			t.Errorf("%s, own bound %v: bound %v, gap %v, want %v", c.objective, c.own, f.Bound, f.Gap, c.bound)
		}
	}
}

func TestCompare(t *testing.T) {
	a, b := training(), training()
	for i := range b.Jobs {
		b.Jobs[i].Best.Cost.Cycles *= 2
	}
	b.Jobs = b.Jobs[:3]
	docs := []results.Named{{Name: "a", Document: a}, {Name: "b", Document: b}}
	jobs, err := results.CompareJobs(docs)
	if err != nil {
		t.Fatal(err)
	}
	want := `
layer,count,pass,shape,a.cycles,a.dram_bytes,b.cycles,b.dram_bytes,b.cycles_to_first
conv1,1,forward,2×1×1,100,1000000,200,1000000,2
conv1,1,dw,2×1×1,50,500000,100,500000,2
fc,2,backward,2×1×1,25,300000,,,
`
	if diff := cmp.Diff(want, render(t, jobs, table.CSV)); diff != "" {
		t.Error(diff)
	}
	wantTotals := `
result,model,npu,objective,pass,cycles,milliseconds,dram_bytes,dy_bytes,energy_pj,cycles_to_first
a,toy,tiny,,forward,120,0.00024,1200000,0,6e+09,1
a,toy,tiny,,backward,100,0.0002,1100000,400000,6e+09,1
a,toy,tiny,,training,220,0.00044,2300000,400000,1.2e+10,1
b,toy,tiny,,forward,120,0.00024,1200000,0,6e+09,1
b,toy,tiny,,backward,100,0.0002,1100000,400000,6e+09,1
b,toy,tiny,,training,220,0.00044,2300000,400000,1.2e+10,1
`
	if diff := cmp.Diff(wantTotals, render(t, results.CompareTotals(docs), table.CSV)); diff != "" {
		t.Error(diff)
	}
}

func TestCompareNeedsSomethingInCommon(t *testing.T) {
	a, b := training(), training()
	a.Jobs, b.Jobs = a.Jobs[:1], b.Jobs[1:2]
	_, err := results.CompareJobs([]results.Named{{Name: "a", Document: a}, {Name: "b", Document: b}})
	if err == nil {
		t.Error("compared results without a common layer and pass")
	}
}
