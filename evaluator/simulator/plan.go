package simulator

import (
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/space"
)

// operand is one tensor of an operation and the SPM region that holds it.
type operand struct {
	tensor space.Tensor
	region space.Region
	output bool
	hold   int // level: loops 1..hold are outside the block
	// burstBlock says that the block's index along the innermost shared loop is
	// the burst's number: one dY region at level 3 (cost model section 3).
	burstBlock bool
	copies     int64 // of one core's bytes that cross the DRAM interface
	width      int64 // bytes of an element in the SPM
}

// gemm is one operation of a run.
type gemm struct {
	tiling
	op       space.Op
	order    space.Order
	dataflow hardware.Dataflow
	operands [space.NumDims]operand // by the dimension that the tensor lacks
	parts    extents
}

// run is what shares one SPM without a break: one operation, or two gradients
// that alternate or have dY in common.
type run struct {
	problem *space.Problem
	gemms   []gemm
	shared  int
	burst   int64
	cores   int64
}

// plan splits a legal schedule into its runs.
func plan(p *space.Problem, s *space.Schedule) []run {
	single := func(op space.Op) run {
		g := newGemm(p, s, op, false)
		return run{problem: p, gemms: []gemm{g}, burst: 1, cores: g.cores()}
	}
	switch s.Pass {
	case space.Forward:
		return []run{single(space.Fwd)}
	case space.DWOnly:
		return []run{single(space.DW)}
	}
	common := commonDY(p, s)
	if s.Shared == 0 && !common {
		return []run{single(space.DX), single(space.DW)}
	}
	dx, dw := newGemm(p, s, space.DX, common), newGemm(p, s, space.DW, common)
	return []run{{
		problem: p, gemms: []gemm{dx, dw},
		shared: int(s.Shared), burst: max(s.Burst, 1), cores: dx.cores(),
	}}
}

// commonDY reports whether dY is one region for both gradients.
func commonDY(p *space.Problem, s *space.Schedule) bool {
	dx, dw := &s.Ops[space.DX], &s.Ops[space.DW]
	level := dx.Hold[space.K]
	if level != dw.Hold[space.K] || level > s.Shared {
		return false
	}
	a, b := newTiling(p, dx), newTiling(p, dw)
	for d := range space.NumDims {
		if max(dx.Cores[d], 1) != max(dw.Cores[d], 1) {
			return false
		}
	}
	for _, d := range dx.Order[level:] {
		if d != space.K && a.tile[d] != b.tile[d] {
			return false
		}
	}
	return true
}

func newGemm(p *space.Problem, s *space.Schedule, op space.Op, common bool) gemm {
	o := &s.Ops[op]
	g := gemm{tiling: newTiling(p, o), op: op, order: o.Order, dataflow: o.Dataflow}
	for d := range space.NumDims {
		g.parts[d] = max(int64(o.Cores[d]), 1)
	}
	for lacks := range space.NumDims {
		t := op.Tensor(lacks)
		x := operand{tensor: t, region: space.Region(t), hold: int(o.Hold[lacks]), copies: g.cores(), width: p.HW.BytesIn}
		switch t {
		case space.Y, space.GradX, space.GradW:
			x.output, x.width = true, p.HW.BytesAcc
		default:
			if p.HW.Multicast || p.HW.SharedSPM {
				x.copies = g.cores() / g.parts[lacks]
			}
		}
		if t == space.GradY {
			x.region = dyRegion(op, common)
			x.burstBlock = common && s.Shared == 3 && x.hold == 3
		}
		g.operands[lacks] = x
	}
	return g
}

func dyRegion(op space.Op, common bool) space.Region {
	switch {
	case common:
		return space.DYRegion
	case op == space.DX:
		return space.DYOfDX
	default:
		return space.DYOfDW
	}
}

func (g *gemm) cores() int64 { return g.parts[0] * g.parts[1] * g.parts[2] }

// output returns the operand that the operation writes.
func (g *gemm) output() *operand {
	for i := range g.operands {
		if g.operands[i].output {
			return &g.operands[i]
		}
	}
	return nil
}

// reductionParts returns into how many parts the output's sum is split.
func (g *gemm) reductionParts() int64 {
	for lacks := range g.operands {
		if g.operands[lacks].output {
			return g.parts[lacks]
		}
	}
	return 1
}

// tileOf returns the number of the operand's tile at the given indices, from
// 0, row by row.
func (g *gemm) tileOf(x *operand, index extents) int64 {
	a, b := sides(x.tensor)
	return index[a]*g.steps[b] + index[b]
}

// tiles returns how many tiles the operand's tensor has.
func (g *gemm) tiles(x *operand) int64 {
	a, b := sides(x.tensor)
	return g.steps[a] * g.steps[b]
}

// slotBytes returns the bytes of the operand's largest tile in the SPM.
func (r *run) slotBytes(g *gemm, x *operand) int64 {
	return elements(r.problem, x.tensor, g.tile) * x.width
}

// ops returns how many tile operations the run has.
func (r *run) ops() int64 {
	var n int64
	for i := range r.gemms {
		n += r.gemms[i].count()
	}
	return n
}
