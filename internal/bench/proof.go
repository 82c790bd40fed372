package main

import (
	"context"
	"time"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/models/zoo"
	"github.com/npu-tune/npu-tune/results/table"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/tuner"
)

// mega is bytes in a MB.
const mega = 1e6

// proven is how a run of the tuner went.
type proven struct {
	passes, proven      int
	seconds, cpu        float64
	evaluations, bounds int64
	value, gap          float64
	memory              int64
}

// prove runs the tuner on a model.
func prove(ctx context.Context, c *config, model models.Model, hw hardware.Params, baselines bool) (*proven, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	stop := watch()
	start, cpu := time.Now(), cpuSeconds()
	r, err := tuner.Tune(ctx, tuner.Plan{
		Model: model, HW: hw, Workers: c.workers, Top: 3, Baselines: baselines, Objective: search.Latency,
	})
	took, cpu := time.Since(start), cpuSeconds()-cpu
	memory := stop()
	if err != nil {
		return nil, err
	}
	p := &proven{passes: len(r.Jobs), seconds: took.Seconds(), cpu: cpu, evaluations: r.Timing.Evaluations, memory: memory}
	bound := 0.0
	for i := range r.Jobs {
		out, count := &r.Jobs[i].Outcome, float64(r.Jobs[i].Layer.Occurrences())
		p.bounds += out.Stats.Bounds
		if out.Proven {
			p.proven++
		}
		if best := out.Best(); best != nil {
			p.value += best.Cost.Cycles * count
		}
		bound += out.Bound * count
	}
	p.gap, _ = tuner.Gap(p.value, bound)
	return p, nil
}

// proof proves the training steps of models on NPUs, for themselves and with
// the families that people tune by hand.
func proof(ctx context.Context, c *config) (*table.Table, error) {
	t := &table.Table{
		Title: "Time to proof of all passes of a training step, latency, in seconds",
		Columns: []table.Column{
			{Title: "model", Key: "model"}, {Title: "NPU", Key: "npu"},
			{Title: "passes", Key: "passes"}, {Title: "proven", Key: "proven"},
			{Title: "seconds", Key: "seconds", Digits: 3},
			{Title: "CPU s", Key: "cpu_seconds", Digits: 3},
			{Title: "with hand-tuned", Key: "seconds_with_handtuned", Digits: 3},
			{Title: "ratio", Key: "ratio", Digits: 2},
			{Title: "costs", Key: "evaluations"}, {Title: "bounds", Key: "bounds"},
			{Title: "bounds/s", Key: "bounds_per_second", Digits: 0},
			{Title: "cycles", Key: "cycles", Digits: 0},
			{Title: "gap %", Key: "gap", Scale: 0.01, Digits: 3},
			{Title: "peak MB", Key: "peak_bytes", Scale: mega, Digits: 0},
		},
	}
	for _, name := range c.models {
		model, err := zoo.Build(name, zoo.Options{Batch: c.batch})
		if err != nil {
			return nil, err
		}
		for _, preset := range c.npus {
			npu, err := hardware.Preset(preset)
			if err != nil {
				return nil, err
			}
			if ctx.Err() != nil {
				return t, nil
			}
			alone, err := prove(ctx, c, model, npu.Params(), false)
			if err != nil {
				return nil, err
			}
			both, err := prove(ctx, c, model, npu.Params(), true)
			if err != nil {
				return nil, err
			}
			t.Add(name, preset, int64(alone.passes), int64(alone.proven), alone.seconds, alone.cpu, both.seconds, both.effort()/alone.effort(),
				alone.evaluations, alone.bounds, float64(alone.bounds)/alone.seconds, alone.value, alone.gap, max(alone.memory, both.memory))
		}
	}
	return t, nil
}
