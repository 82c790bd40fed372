package bound

import (
	"math"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// model is a problem as the bounds see it.
type model struct {
	problem *space.Problem
	hw      *hardware.Params
	dims    [space.NumDims]int64
	volume  float64 // m·n·k
	ops     []operation
	batches int64
	cores   float64 // the most that a pass can use; +Inf: any number
	density float64 // least pixels of X or dX per element of the matrix, at most 1
}

// operation is one GEMM of the pass. Arrays are indexed by the dimension that
// the operand lacks.
type operation struct {
	op   space.Op
	out  space.Dim              // the reduction, which the output lacks
	once [space.NumDims]float64 // bytes: one read of an input, one final write of the output
	move [space.NumDims]float64 // bytes per element and visit: partial sums are written and read back
	held [space.NumDims]float64 // bytes per element in the SPM
	size [space.NumDims]float64 // elements of the operand as a matrix, whatever it moves
	room [space.NumDims]float64 // capacity of its SPM pool, one core's; +Inf: unlimited
	pool [space.NumDims]uint8
	less float64 // bytes that an output's first visit does not read and its last writes narrower
}

func newModel(p *space.Problem) *model {
	m := &model{problem: p, hw: &p.HW, batches: p.Layer.Batches(), cores: float64(p.HW.Cores), density: 1, volume: 1}
	if p.HW.Cores == 0 {
		m.cores = math.Inf(1)
	}
	for d := range space.NumDims {
		m.dims[d] = p.Dim(d)
		m.volume *= float64(m.dims[d])
	}
	if p.Implicit() {
		m.density = density(p.Layer.Conv)
	}
	for _, op := range p.Pass.Ops() {
		m.ops = append(m.ops, m.operation(op))
	}
	return m
}

func (m *model) operation(op space.Op) operation {
	o := operation{op: op, out: op.Reduction()}
	for d := range space.NumDims {
		o.size[d] = m.volume / float64(m.dims[d])
		density := 1.0
		if d == space.N {
			density = m.density
		}
		in, role := float64(m.hw.BytesIn), roleOf(op, d)
		o.once[d], o.move[d], o.held[d] = density*in*o.size[d], density*in, density*in
		if d == o.out {
			out, acc := float64(m.hw.BytesOut), float64(m.hw.BytesAcc)
			o.once[d], o.move[d], o.held[d] = density*out*o.size[d], density*2*acc, density*acc
			o.less = density * (2*acc - out) * o.size[d]
		}
		o.pool[d] = m.hw.PoolOf[role]
		o.room[d] = math.Inf(1)
		if int(o.pool[d]) < m.hw.NPools {
			if bytes := m.hw.Pools[o.pool[d]].Bytes; bytes > 0 {
				o.room[d] = float64(bytes)
			}
		}
	}
	return o
}

// roleOf returns which SPM the operand that lacks d lives in.
func roleOf(op space.Op, d space.Dim) hardware.Role {
	switch {
	case d == op.Reduction():
		return hardware.Accumulators
	case op.Tensor(d) == space.W:
		return hardware.Weights
	}
	return hardware.Inputs
}

// density returns the least pixels(t) / (R·S·t) over t ≥ 1 output pixels, at
// most 1: a tile of t × k has at least density·t·k elements (docs/bounds.md,
// section 1). The ratio is monotone between the corners that it looks at.
func density(c *models.Conv) float64 {
	least := 1.0
	try := func(t int64) {
		if t >= 1 && t <= c.P*c.Q {
			least = min(least, float64(space.Pixels(c, t))/float64(c.R*c.S)/float64(t))
		}
	}
	// Part of one row of output: until the input's width is reached.
	try(1)
	reach := (c.W - c.DilationW*(c.S-1) - 1) / c.StrideW
	for _, t := range [...]int64{reach, reach + 1, reach + 2, c.Q - 1, c.Q} {
		try(min(t, c.Q))
	}
	// Whole rows: until the input's height is reached; the last row less one pixel.
	reach = (c.H - c.DilationH*(c.R-1) - 1) / c.StrideH
	for _, rows := range [...]int64{2, reach, reach + 1, reach + 2, c.P - 1} {
		try(min(max(rows, 1), c.P-1) * c.Q)
	}
	try(c.P*c.Q - 1)
	try(c.P * c.Q)
	return least
}
