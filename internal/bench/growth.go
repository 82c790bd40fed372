package main

import (
	"context"
	"fmt"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/models/zoo"
	"github.com/npu-tune/npu-tune/results/table"
)

func growthTable(title, first, key string) *table.Table {
	return &table.Table{
		Title: title,
		Columns: []table.Column{
			{Title: first, Key: key},
			{Title: "passes", Key: "passes"}, {Title: "proven", Key: "proven"},
			{Title: "seconds", Key: "seconds", Digits: 3},
			{Title: "CPU s", Key: "cpu_seconds", Digits: 3},
			{Title: "× the last", Key: "times_last", Digits: 2},
			{Title: "costs", Key: "evaluations"}, {Title: "bounds", Key: "bounds"},
			{Title: "cycles", Key: "cycles", Digits: 0},
			{Title: "gap %", Key: "gap", Scale: 0.01, Digits: 3},
			{Title: "peak MB", Key: "peak_bytes", Scale: mega, Digits: 0},
		},
	}
}

// effort is the time of the processors where that is known, else the time that
// passed.
func (p *proven) effort() float64 {
	if p.cpu > 0 {
		return p.cpu
	}
	return p.seconds
}

// grow adds a row; last is the effort of the row before, 0 for the first.
func grow(t *table.Table, name string, p *proven, last float64) {
	var times any
	if last > 0 {
		times = p.effort() / last
	}
	t.Add(name, int64(p.passes), int64(p.proven), p.seconds, p.cpu, times, p.evaluations, p.bounds, p.value, p.gap, p.memory)
}

// growthSPM proves ResNet-50 with SPMs from 256 KiB to 64 MiB.
func growthSPM(ctx context.Context, c *config) (*table.Table, error) {
	t := growthTable("Time to proof of a training step of ResNet-50 on small, by the size of its SPM", "SPM KiB", "spm_kib")
	model, err := zoo.Build("resnet50", zoo.Options{Batch: c.batch})
	if err != nil {
		return nil, err
	}
	npu, err := hardware.Preset("small")
	if err != nil {
		return nil, err
	}
	hw, last := npu.Params(), 0.0
	for kib := int64(256); kib <= 64<<10 && ctx.Err() == nil; kib *= 2 {
		hw.UnifiedSPM(kib << 10)
		p, err := prove(ctx, c, model, hw, false)
		if err != nil {
			return nil, err
		}
		grow(t, fmt.Sprint(kib), p, last)
		last = p.effort()
	}
	return t, nil
}

// growthDimension proves single GEMMs: one dimension from 1,000 to the most,
// and cubes as far as figures fit in 64 bits.
func growthDimension(ctx context.Context, c *config) (*table.Table, error) {
	t := growthTable("Time to proof of a training step of one GEMM on small, by its dimensions", "m×n×k", "shape")
	npu, err := hardware.Preset("small")
	if err != nil {
		return nil, err
	}
	const side, largestCube = 1000, 100_000
	for _, shape := range []func(d int64) models.Layer{
		func(d int64) models.Layer { return models.Layer{M: d, N: side, K: side} },
		func(d int64) models.Layer { return models.Layer{M: side, N: d, K: side} },
		func(d int64) models.Layer { return models.Layer{M: side, N: side, K: d} },
		func(d int64) models.Layer { return models.Layer{M: d, N: d, K: d} },
	} {
		last := 0.0
		for d := int64(1000); d <= c.most && ctx.Err() == nil; d *= 10 {
			l := shape(d)
			if l.M == l.N && l.N == l.K && d > largestCube {
				break
			}
			l.Name = fmt.Sprintf("%d×%d×%d", l.M, l.N, l.K)
			p, err := prove(ctx, c, models.Model{Name: l.Name, Layers: []models.Layer{l}}, npu.Params(), false)
			if err != nil {
				return nil, err
			}
			grow(t, l.Name, p, last)
			last = p.effort()
		}
	}
	return t, nil
}
