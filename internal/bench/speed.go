package main

import (
	"context"
	"testing"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/evaluator/simulator"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/results/table"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/exhaustive"
	"github.com/npu-tune/npu-tune/space"
)

// Published rates of others, valid mappings a second and thread.
const (
	timeloopRate = 1400.0
	gammaRate    = 30.0
)

// convolution is a 3×3 layer of ResNet-50 with a batch of 4.
func convolution() models.Layer {
	return models.Layer{Name: "layer1.0.conv2", M: 12544, N: 64, K: 576, Conv: &models.Conv{
		H: 56, W: 56, P: 56, Q: 56, R: 3, S: 3, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1,
	}}
}

// speed times the closed form and the simulator on optima, and the bounds on
// boxes around them.
func speed(ctx context.Context, c *config) (*table.Table, error) {
	t := &table.Table{
		Title: "One core: " + convolution().Name + " on small, schedules and boxes of its optimum",
		Columns: []table.Column{
			{Title: "what", Key: "what"}, {Title: "pass", Key: "pass"},
			{Title: "ns", Key: "nanoseconds", Digits: 1},
			{Title: "per second", Key: "per_second", Digits: 0},
			{Title: "allocations", Key: "allocations"},
			{Title: "× Timeloop", Key: "times_timeloop", Digits: 0},
			{Title: "× GAMMA", Key: "times_gamma", Digits: 0},
			{Title: "× simulator", Key: "times_simulator", Digits: 0},
		},
	}
	npu, err := hardware.Preset("small")
	if err != nil {
		return nil, err
	}
	for pass := range space.NumPasses {
		p := &space.Problem{Layer: convolution(), HW: npu.Params(), Pass: pass}
		limited, cancel := context.WithTimeout(ctx, c.limit)
		out, err := exhaustive.New().Search(limited, &search.Request{Problem: p, Evaluator: analytic.Evaluator{}})
		cancel()
		if err != nil {
			return nil, err
		}
		best := out.Best()
		if best == nil {
			continue
		}
		sim := testing.Benchmark(benchSimulator(p, &best.Schedule))
		addSpeed(t, "simulated cost", pass, sim, sim)
		addSpeed(t, "exact cost", pass, testing.Benchmark(benchCost(p, &best.Schedule)), sim)
		addSpeed(t, "bound of a box", pass, testing.Benchmark(benchBound(p, &best.Schedule)), sim)
	}
	return t, nil
}

func addSpeed(t *table.Table, what string, pass space.Pass, r, sim testing.BenchmarkResult) {
	ns := float64(r.T.Nanoseconds()) / float64(r.N)
	rate := 1e9 / ns
	t.Add(what, pass.String(), ns, rate, r.AllocsPerOp(), rate/timeloopRate, rate/gammaRate,
		float64(sim.T.Nanoseconds())/float64(sim.N)/ns)
}

func benchCost(p *space.Problem, s *space.Schedule) func(*testing.B) {
	m := analytic.New(p)
	return func(b *testing.B) {
		var c evaluator.Cost
		b.ReportAllocs()
		for b.Loop() {
			m.Cost(s, &c)
		}
	}
}

func benchSimulator(p *space.Problem, s *space.Schedule) func(*testing.B) {
	sim := simulator.New()
	return func(b *testing.B) {
		result := make([]evaluator.Result, 1)
		b.ReportAllocs()
		for b.Loop() {
			if err := sim.Evaluate(context.Background(), p, []space.Schedule{*s}, result); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// benchBound bounds boxes of tile extents from half of the optimum's to its
// own and twice that, in turn, so that nothing of the last one can be kept.
func benchBound(p *space.Problem, s *space.Schedule) func(*testing.B) {
	m := analytic.NewBounding(p)
	merged := p.SharesDY(s)
	ops := p.Pass.Ops()
	if p.Pass == space.Backward && s.Shared == 0 && !merged {
		ops = ops[:1] // two runs: a box is of one
	}
	var boxes [2]analytic.Box
	for i := range boxes {
		b := &boxes[i]
		*b = analytic.Box{Ops: ops, Plan: s, Merged: merged, BurstLo: max(s.Burst, 1), BurstHi: max(s.Burst, 1), Enough: 1}
		for _, op := range ops {
			o := &s.Ops[op]
			b.Hold[op], b.Outer[op] = o.Hold, o.Hold
			b.Flows[op] = 1<<hardware.NumDataflows - 1
			for d := range space.NumDims {
				b.Lo[op][d] = max(1, o.Tile[d]/2)
				b.Hi[op][d] = min(p.Dim(d), o.Tile[d]*int64(1+i))
			}
		}
	}
	return func(b *testing.B) {
		var (
			f       analytic.Figures
			scratch analytic.Scratch
			i       int
		)
		b.ReportAllocs()
		for b.Loop() {
			m.Bound(&boxes[i&1], &f, &scratch)
			i++
		}
	}
}
