package igo

import (
	"context"
	"errors"
	"fmt"

	"github.com/npu-tune/npu-tune/evaluator/simulator"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/space"
)

// cacheFraction is what double buffering leaves of the SPM for a cache of
// tiles.
const cacheFraction = 0.5

// traditional are the orders in which a compiler runs an operation: sums
// finished one after the other, or one operand's tile used up. In both dX walks
// dY row by row and dW column by column.
var traditional = [2][space.NumOps]space.Order{
	{space.Fwd: {space.M, space.N, space.K}, space.DX: {space.M, space.K, space.N}, space.DW: {space.N, space.K, space.M}},
	{space.Fwd: {space.M, space.K, space.N}, space.DX: {space.M, space.N, space.K}, space.DW: {space.N, space.M, space.K}},
}

// cacheRun is an order of a pass on a part of a layer with the SPM as a cache
// of tiles, on as many cores.
type cacheRun struct {
	problem *space.Problem
	parts   [space.NumDims]uint16
	order   Order // NumOrders: one operation after the other
}

// oneAfterTheOther is the order of the cached baseline.
const oneAfterTheOther = NumOrders

// best returns the fastest run: of several tiles, each as large as fits and
// halved once, and where orders are traditional, of those. All operations of
// the pass have the same tile.
func (r cacheRun) best(ctx context.Context, tiles [][space.NumDims]int64) (Figures, error) {
	fastest := impossible()
	seen := map[[space.NumDims]int64]bool{}
	for _, tile := range tiles {
		tile = r.problem.Extents(&space.OpSchedule{Tile: tile, Cores: r.parts})
		for range 2 {
			f, used, err := r.fitting(ctx, tile, seen)
			if err != nil {
				return impossible(), err
			}
			fastest = fastest.better(f)
			tile = used
			if !halve(&tile, &r.problem.HW) {
				break
			}
		}
	}
	return fastest, nil
}

// fitting halves the tile until the tiles of two operations fit the cache, and
// costs that one unless it was seen before.
func (r cacheRun) fitting(ctx context.Context, tile [space.NumDims]int64, seen map[[space.NumDims]int64]bool) (Figures, [space.NumDims]int64, error) {
	for !seen[tile] {
		seen[tile] = true
		f, err := r.fastest(ctx, tile)
		if !errors.Is(err, simulator.ErrCapacity) || !halve(&tile, &r.problem.HW) {
			return f, tile, err
		}
	}
	return impossible(), tile, nil
}

// fastest costs a tile in the order, or in the faster traditional orders.
func (r cacheRun) fastest(ctx context.Context, tile [space.NumDims]int64) (Figures, error) {
	choices := traditional[:]
	if r.order == DXMajor || r.order == DWMajor {
		choices = choices[:1] // not used
	}
	fastest := impossible()
	for i := range choices {
		f, err := r.cost(ctx, tile, &choices[i])
		if err != nil {
			return impossible(), err
		}
		fastest = fastest.better(f)
	}
	return fastest, nil
}

// cost runs the simulator.
func (r cacheRun) cost(ctx context.Context, tile [space.NumDims]int64, usual *[space.NumOps]space.Order) (Figures, error) {
	s := r.schedule(tile, usual)
	options := simulator.LRUOptions{Fraction: cacheFraction}
	if r.order == Interleaving {
		options.Sequence = simulator.Alternating(r.problem, &s)
	}
	cost, err := simulator.New().RunLRU(ctx, r.problem, &s, options)
	if err != nil {
		return impossible(), fmt.Errorf("%s as a cache: %w", r.order, err)
	}
	return figuresOf(&cost), nil
}

// schedule returns the tile and its order as a schedule.
func (r cacheRun) schedule(tile [space.NumDims]int64, usual *[space.NumOps]space.Order) space.Schedule {
	s := space.Schedule{Pass: r.problem.Pass}
	for _, op := range s.Pass.Ops() {
		s.Ops[op] = space.OpSchedule{Tile: tile, Order: usual[op], Dataflow: outputStationary(&r.problem.HW), Cores: r.parts}
		switch r.order {
		case DXMajor:
			s.Ops[op].Order = space.Order{space.M, space.N, space.K}
		case DWMajor:
			s.Ops[op].Order = space.Order{space.N, space.M, space.K}
		}
	}
	if r.order == DXMajor || r.order == DWMajor {
		s.Shared, s.Burst = 3, 1
	}
	return s
}

// outputStationary returns that dataflow, or what the array has instead.
func outputStationary(hw *hardware.Params) hardware.Dataflow {
	for d := range hardware.NumDataflows {
		if hw.HasDataflow(d) {
			return d
		}
	}
	return hardware.OS
}

// halve halves the tile's largest extent, in multiples of the array where it
// is larger; false for a tile of one element.
func halve(tile *[space.NumDims]int64, hw *hardware.Params) bool {
	widest := space.M
	for d := range space.NumDims {
		if tile[d] > tile[widest] {
			widest = d
		}
	}
	t := tile[widest]
	if t == 1 {
		return false
	}
	tile[widest] = space.CeilDiv(t, 2)
	if side := max(hw.Rows, hw.Cols); tile[widest] > side {
		tile[widest] = min(t-1, space.CeilDiv(tile[widest], side)*side)
	}
	return true
}

// cached returns what a layer takes in an order and partition with the SPM as
// a cache.
func (l *layerStudy) cached(ctx context.Context, p Partition, o Order) (Figures, error) {
	if l.problem.HW.Cores > 1 {
		split, ok := p.split(l.problem)
		if p == Whole || !ok {
			return impossible(), nil
		}
		return cacheRun{l.problem, split, o}.best(ctx, l.tiles)
	}
	return l.inParts(p, func(part *space.Problem) (Figures, error) {
		return cacheRun{part, [space.NumDims]uint16{1, 1, 1}, o}.best(ctx, l.tiles)
	})
}
