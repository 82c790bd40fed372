package verify

import (
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// proposer proposes smaller problems until one is accepted. Each proposal
// takes something away that no proposal brings back, so shrinking ends.
type proposer func(p *space.Problem, s *space.Schedule, accept accept)

type accept func(space.Problem, space.Schedule) bool

var steps = []proposer{plainer, smallerLayer, fewerSteps, simplerSchedule}

// plainer takes away what a problem need not have.
func plainer(p *space.Problem, s *space.Schedule, accept accept) {
	try := func(change func(*space.Problem)) bool {
		q := *p
		change(&q)
		return accept(q, *s)
	}
	_ = p.Layer.Conv != nil && try(func(q *space.Problem) { q.Layer.Conv = nil }) ||
		p.Layer.Batches() > 1 && try(func(q *space.Problem) { q.Layer.Batch = 0 }) ||
		p.Layer.Batches() > 2 && try(func(q *space.Problem) { q.Layer.Batch = 2 }) ||
		p.HW.DMALatency > 0 && try(func(q *space.Problem) { q.HW.DMALatency = 0 })
}

// smallerLayer shrinks an extent, with the tiles as they are, scaled, or less
// what the extent lost.
func smallerLayer(p *space.Problem, s *space.Schedule, accept accept) {
	for d := range space.NumDims {
		for _, l := range smallerLayers(p.Layer, d) {
			q := *p
			q.Layer = l
			before, after := p.Dim(d), q.Dim(d)
			scaled := func(tile int64) int64 { return tile * after / before }
			less := func(tile int64) int64 { return tile - (before - after) }
			if accept(q, *s) || accept(q, tiled(s, d, scaled)) || accept(q, tiled(s, d, less)) {
				return
			}
		}
	}
}

// smallerLayers lists layers with less of a dimension.
func smallerLayers(l models.Layer, d space.Dim) []models.Layer {
	var list []models.Layer
	unit := int64(1)
	if c := l.Conv; c != nil && d != space.N {
		unit = c.R * c.S
		if d == space.M {
			unit = c.P * c.Q
			for _, rows := range smaller(c.P) {
				list = append(list, cut(l, rows, c.Q))
			}
			for _, columns := range smaller(c.Q) {
				list = append(list, cut(l, c.P, columns))
			}
		}
	}
	for _, n := range smaller(*extent(&l, d) / unit) {
		next := l
		*extent(&next, d) = n * unit
		list = append(list, next)
	}
	return list
}

func extent(l *models.Layer, d space.Dim) *int64 { return [...]*int64{&l.M, &l.N, &l.K}[d] }

// smaller lists what an extent may become: one, half, one less.
func smaller(n int64) []int64 {
	var list []int64
	for _, v := range []int64{1, n / 2, n - 1} {
		if v >= 1 && v < n {
			list = append(list, v)
		}
	}
	return list
}

// cut gives a convolution fewer output rows and columns.
func cut(l models.Layer, rows, columns int64) models.Layer {
	c := *l.Conv
	images := l.M / (c.P * c.Q)
	c.H = max(1, c.H-(c.P-rows)*c.StrideH)
	c.W = max(1, c.W-(c.Q-columns)*c.StrideW)
	c.P, c.Q = rows, columns
	l.M, l.Conv = images*rows*columns, &c
	return l
}

// tiled changes the tile's extent of some operations.
func tiled(s *space.Schedule, d space.Dim, change func(int64) int64, ops ...space.Op) space.Schedule {
	t := *s
	if len(ops) == 0 {
		ops = s.Pass.Ops()
	}
	for _, op := range ops {
		t.Ops[op].Tile[d] = max(1, change(t.Ops[op].Tile[d]))
	}
	return t
}

// fewerSteps enlarges tiles: of both gradients, or of one. What no longer fits
// the SPM fails otherwise, if at all.
func fewerSteps(p *space.Problem, s *space.Schedule, accept accept) {
	ops := s.Pass.Ops()
	for d := range space.NumDims {
		whole := func(int64) int64 { return p.Dim(d) }
		twice := func(tile int64) int64 { return 2 * tile }
		for _, grow := range []func(int64) int64{whole, twice} {
			if accept(*p, tiled(s, d, grow)) {
				return
			}
			for _, op := range ops {
				if accept(*p, tiled(s, d, grow, op)) {
					return
				}
			}
		}
	}
}

// simplerSchedule takes away cores, bursts and shared loops.
func simplerSchedule(p *space.Problem, s *space.Schedule, accept accept) {
	for d := range space.NumDims {
		t := *s
		for _, op := range s.Pass.Ops() {
			t.Ops[op].Cores[d] = 0
		}
		if t != *s && accept(*p, t) {
			return
		}
	}
	for _, n := range smaller(s.Burst) {
		t := *s
		t.Burst = n
		if accept(*p, t) {
			return
		}
	}
	for shared := range s.Shared {
		t := *s
		t.Shared, t.Burst = shared, 0
		if accept(*p, t) {
			return
		}
	}
}
