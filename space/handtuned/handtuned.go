package handtuned

import (
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/space"
)

// The names of the baselines, in the order of For.
const (
	Conventional   = "conventional"
	Tiled          = "tiled"
	MNPUSim        = "mnpusim"
	DXMajor        = "dxmajor"
	DWMajor        = "dwmajor"
	IGO            = "igo"
	BestSequential = "best-sequential"
)

// Names returns the names of the baselines, in the order of For.
func Names() []string {
	return []string{Conventional, Tiled, MNPUSim, DXMajor, DWMajor, IGO, BestSequential}
}

// Baseline is one way of scheduling by hand.
type Baseline struct {
	Name        string
	Description string
	// Fixed is the schedule itself, nil for a family. It is legal, but need
	// not fit where even tiles of one element do not.
	Fixed *space.Schedule
	// Families restrict the space; the best schedule of them all is meant.
	Families []space.Constraints
}

// For returns the baselines of a problem, in the order of Names. In a pass of
// one operation there is nothing to interleave: there dxmajor, dwmajor and igo
// are what tiled is.
func For(p *space.Problem) []Baseline {
	conventional, mnpusim := buildConventional(p), buildMNPUSim(p)
	flow := dataflow(p)
	array := flow.String() + " dataflow"
	if flow != hardware.OS {
		array += " (the array has no os)"
	}
	all := []Baseline{
		{Conventional, "one operation after the other, reduction innermost, " + array +
			", one tile of each tensor: the largest near-cubic tile in multiples of the array that fits", &conventional, nil},
		{Tiled, "the orders, dataflow and holds of conventional, the best tile extents for them", nil, tiled(p)},
		{MNPUSim, "tile extents by the heuristic of mNPUsim, loops rows, reduction, columns, " + array, &mnpusim, nil},
	}
	return append(append(all, interleaved(p)...), bestSequential(p))
}

// interleaved returns the baselines whose gradients alternate tile by tile.
func interleaved(p *space.Problem) []Baseline {
	if p.Pass != space.Backward {
		const same = "a single operation has nothing to interleave with: same as tiled"
		return []Baseline{
			{DXMajor, same, nil, tiled(p)}, {DWMajor, same, nil, tiled(p)}, {IGO, same, nil, tiled(p)},
		}
	}
	byRow := tileByTile(space.Order{space.M, space.N, space.K})
	byColumn := tileByTile(space.Order{space.N, space.M, space.K})
	igo, why := chooseIGO(p, byRow, byColumn)
	return []Baseline{
		{DXMajor, "gradients interleaved tile by tile, dY row by row (loops m, n, k), best tiles and holds", nil, []space.Constraints{byRow}},
		{DWMajor, "gradients interleaved tile by tile, dY column by column (loops n, m, k), best tiles and holds", nil, []space.Constraints{byColumn}},
		{IGO, "Algorithm 1 of Interleaved Gradient Order (doi:10.1145/3613424.3614299): " + why, nil, igo},
	}
}

// chooseIGO is the algorithm's choice by the shape of the layer.
func chooseIGO(p *space.Problem, byRow, byColumn space.Constraints) ([]space.Constraints, string) {
	m, n, k := p.Layer.M, p.Layer.N, p.Layer.K
	large, small := max(m, n, k), min(m, n, k)
	switch {
	case large/small < 4: // the quotient rounded down is below 4 exactly where the ratio is
		return []space.Constraints{byRow, byColumn}, "extents are alike, so the better of dxmajor and dwmajor"
	case k > n && k > m:
		return []space.Constraints{byColumn}, "k is by far the largest extent, so dwmajor"
	}
	return []space.Constraints{byRow}, "extents differ and k is not the largest, so dxmajor"
}

// tileByTile restricts a backward pass to one order of both gradients that
// alternate with every tile operation.
func tileByTile(o space.Order) space.Constraints {
	c := space.Constraints{Shared: 1 << 3, MaxBurst: 1}
	for _, op := range space.Backward.Ops() {
		c.Ops[op].Orders = []space.Order{o}
	}
	return c
}

func bestSequential(p *space.Problem) Baseline {
	if p.Pass != space.Backward {
		return Baseline{BestSequential, "the optimum: a single operation has nothing to interleave with", nil, []space.Constraints{{}}}
	}
	return Baseline{
		BestSequential, "the optimum without interleaving: all of dX, then all of dW, with nothing of dY kept between them", nil,
		[]space.Constraints{{Shared: 1 << 0, SeparateDY: true}},
	}
}

// tiled restricts the space to conventional's orders, holds and dataflow.
func tiled(p *space.Problem) []space.Constraints {
	c := space.Constraints{}
	if p.Pass == space.Backward {
		c.Shared, c.SeparateDY = 1<<0, true
	}
	for _, op := range p.Pass.Ops() {
		o := oneTile(op, reductionInnermost(op), dataflow(p))
		r := &c.Ops[op]
		r.Orders = []space.Order{o.Order}
		r.Dataflows = []hardware.Dataflow{o.Dataflow}
		for d, h := range o.Hold {
			r.Hold[d] = 1 << h
		}
	}
	return []space.Constraints{c}
}

// dataflow returns output stationary, or what the array has instead.
func dataflow(p *space.Problem) hardware.Dataflow {
	for d := range hardware.NumDataflows {
		if p.HW.HasDataflow(d) {
			return d
		}
	}
	return hardware.OS
}

func reductionInnermost(op space.Op) space.Order {
	return space.Order{op.Rows(), op.Columns(), op.Reduction()}
}

// oneTile returns an operation that holds one tile of each tensor: each at the
// innermost loop that the tensor has.
func oneTile(op space.Op, order space.Order, flow hardware.Dataflow) space.OpSchedule {
	o := space.OpSchedule{Order: order, Dataflow: flow, Tile: [space.NumDims]int64{1, 1, 1}}
	for d := range space.NumDims {
		o.Hold[d] = 3
		if order[2] == d {
			o.Hold[d] = 2
		}
	}
	return o
}
