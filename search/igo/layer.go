package igo

import (
	"context"
	"fmt"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/evaluator/bound"
	"github.com/npu-tune/npu-tune/space"
	"github.com/npu-tune/npu-tune/space/handtuned"
)

// Baseline is what times are normalized to.
type Baseline uint8

// The baselines: one operation after the other.
const (
	Tiled        Baseline = iota // the best tile extents, the SPM planned
	Conventional                 // near-cubic tiles, the SPM planned
	Cached                       // the SPM a cache of tiles, as in the paper's reuse analysis
	NumBaselines
)

// String returns "tiled", "conventional" or "cached".
func (b Baseline) String() string {
	if b < NumBaselines {
		return [NumBaselines]string{"tiled", "conventional", "cached"}[b]
	}
	return fmt.Sprintf("baseline(%d)", uint8(b))
}

// Grid holds figures by partition and order.
type Grid [NumPartitions][NumOrders]Figures

// Stages of the gain over conventional schedules, each with all before it.
const (
	byHand      = iota // conventional
	byTiling           // best sequential, m split over the cores
	byPartition        // best sequential
	byTurns            // or gradients that alternate tile by tile, dxmajor or dwmajor
	byGranule          // or any schedule
	numStages
)

// Layer is what the study finds of one pass of a layer.
type Layer struct {
	Problem  *space.Problem
	Baseline [NumBaselines]Figures
	// SecondDY is what the second gradient of the tiled baseline loads of dY.
	SecondDY int64
	// Planned has the best tile extents and hold levels of each order, Cached
	// the same tiles as the cached baseline. Interleaving in the traditional
	// orders is no schedule of the space, so it is cached in both.
	Planned, Cached Grid
	BestSequential  Figures
	Optimum         Figures
	Bound           float64            // no schedule takes fewer cycles
	Stages          [numStages]Figures // of detailed settings
}

// layerStudy finds the figures of one layer.
type layerStudy struct {
	Layer
	problem  *space.Problem
	detailed bool
	tiles    [][space.NumDims]int64 // of the baselines
	seeds    []space.Schedule       // schedules of the whole problem
}

// studyLayer finds the figures of a pass of a layer. All searches are proven;
// it fails if ctx ends.
func studyLayer(ctx context.Context, p *space.Problem, detailed bool) (*Layer, error) {
	l := &layerStudy{problem: p, detailed: detailed}
	l.Problem = p
	l.Bound = bound.For(p).Cycles
	steps := []func(context.Context) error{l.baselines, l.cachedBaseline}
	if p.Pass == space.Backward {
		steps = append(steps, l.techniques)
	}
	for _, step := range append(steps, l.sequential, l.stages, l.optimum) {
		if err := step(ctx); err != nil {
			return nil, fmt.Errorf("%s %s: %w", p.Layer.Name, p.Pass, err)
		}
	}
	return &l.Layer, nil
}

// baselines costs conventional and tiled.
func (l *layerStudy) baselines(ctx context.Context) error {
	p := l.problem
	s := *handTuned(p, handtuned.Conventional).Fixed
	cost, fits := costOf(p, &s)
	if !fits {
		return fmt.Errorf("conventional: %w", space.ErrCapacity)
	}
	l.Baseline[Conventional] = figuresOf(&cost)
	tiled, err := best(ctx, p, family(p, handtuned.Tiled), s)
	if err != nil {
		return err
	}
	if tiled == nil {
		return fmt.Errorf("tiled: %w", space.ErrCapacity)
	}
	l.Baseline[Tiled] = figuresOf(&tiled.Cost)
	l.seeds = append(l.seeds, s, tiled.Schedule)
	for _, op := range p.Pass.Ops() {
		l.tiles = append(l.tiles, tiled.Schedule.Ops[op].Tile, s.Ops[op].Tile)
	}
	if p.Pass == space.Backward {
		var second evaluator.Cost
		analytic.New(p).Single(space.DW, &tiled.Schedule.Ops[space.DW], &second)
		l.SecondDY = second.Traffic[space.GradY].Read
	}
	return nil
}

// cachedBaseline costs one operation after the other with the SPM as a cache.
// Several cores split m: each has its part of the batch.
func (l *layerStudy) cachedBaseline(ctx context.Context) error {
	parts := [space.NumDims]uint16{1, 1, 1}
	if l.problem.HW.Cores > 1 {
		parts, _ = WeightSharing.split(l.problem)
	}
	var err error
	l.Baseline[Cached], err = cacheRun{l.problem, parts, oneAfterTheOther}.best(ctx, l.tiles)
	return err
}

// techniques fills the grids of a backward pass.
func (l *layerStudy) techniques(ctx context.Context) error {
	for p := range NumPartitions {
		for o := range NumOrders {
			var err error
			if l.Cached[p][o], err = l.cached(ctx, p, o); err != nil {
				return err
			}
			l.Planned[p][o] = l.Cached[p][o]
			if o == Interleaving {
				continue
			}
			if l.Planned[p][o], err = l.major(ctx, p, o); err != nil {
				return err
			}
		}
	}
	return nil
}

// sequential finds the optimum without interleaving.
func (l *layerStudy) sequential(ctx context.Context) error {
	found, err := l.find(ctx, family(l.problem, handtuned.BestSequential))
	l.BestSequential = found
	return err
}

// find searches from all that is known and adds to it.
func (l *layerStudy) find(ctx context.Context, c space.Constraints) (Figures, error) {
	found, err := best(ctx, l.problem, c, l.seeds...)
	if err != nil || found == nil {
		return impossible(), err
	}
	l.seeds = append(l.seeds, found.Schedule)
	return figuresOf(&found.Cost), nil
}

// stages takes the gain apart: the space grows from stage to stage.
func (l *layerStudy) stages(ctx context.Context) error {
	if !l.detailed {
		return nil
	}
	l.Stages[byHand] = l.Baseline[Conventional]
	l.Stages[byTiling], l.Stages[byPartition] = l.BestSequential, l.BestSequential
	if l.problem.HW.Cores > 1 {
		if split, ok := WeightSharing.split(l.problem); ok {
			var err error
			if l.Stages[byTiling], err = l.find(ctx, family(l.problem, handtuned.BestSequential, split)); err != nil {
				return err
			}
		}
	}
	l.Stages[byTurns] = l.Stages[byPartition]
	for p := range NumPartitions {
		if p == Whole || l.problem.HW.Cores > 1 { // parts one after the other are no schedule of the layer
			l.Stages[byTurns] = l.Stages[byTurns].better(l.turns(p))
		}
	}
	return nil
}

// turns is the faster order in which gradients alternate tile by tile.
func (l *layerStudy) turns(p Partition) Figures {
	if l.problem.Pass != space.Backward {
		return impossible()
	}
	return l.Planned[p][DXMajor].better(l.Planned[p][DWMajor])
}

// optimum finds the best of all schedules.
func (l *layerStudy) optimum(ctx context.Context) error {
	var err error
	l.Optimum, err = l.find(ctx, space.Constraints{})
	l.Stages[byGranule] = l.Optimum
	return err
}
