package bound

import (
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/space"
)

// access bounds the bytes that the array reads and writes in the SPM, one
// batch; what the DMA engine moves comes on top (docs/bounds.md, section 7).
func (m *model) access() int64 {
	var sum int64
	for i := range m.ops {
		least := int64(-1)
		m.flows(func(f hardware.Dataflow) {
			if n := m.arrayAccess(m.ops[i].op, f); least < 0 || n < least {
				least = n
			}
		})
		sum += least
	}
	return sum
}

func (m *model) arrayAccess(op space.Op, flow hardware.Dataflow) int64 {
	a, b, r := m.dims[op.Rows()], m.dims[op.Columns()], m.dims[op.Reduction()]
	left, right, sums := a*r, r*b, int64(1)
	switch flow {
	case hardware.OS:
		left *= space.CeilDiv(b, m.hw.Cols)
		right *= space.CeilDiv(a, m.hw.Rows)
	case hardware.WS:
		left *= space.CeilDiv(b, m.hw.Cols)
		sums = space.CeilDiv(r, m.hw.Rows)
	default:
		right *= space.CeilDiv(a, m.hw.Cols)
		sums = space.CeilDiv(r, m.hw.Rows)
	}
	if m.hw.Cores == 1 {
		sums = 2*sums - 1 // one core reads back all but the first
	}
	return (left+right)*m.hw.BytesIn + a*b*sums*m.hw.BytesAcc
}

// spm bounds the bytes of SPM that a schedule takes (docs/bounds.md, section 8).
func (m *model) spm() int64 {
	if len(m.ops) == 1 {
		return m.slots(&m.ops[0])
	}
	dx, dw := &m.ops[0], &m.ops[1]
	apart := max(m.slots(dx), m.slots(dw))
	// In one run dY has two slots, or each gradient one; other tensors have one.
	in, acc := m.hw.BytesIn, m.hw.BytesAcc
	return min(apart, 2*in+2*acc+in*m.fewTiles(space.GradY), 4*in+2*acc)
}

// slots bounds the SPM of an operation alone.
func (m *model) slots(o *operation) (bytes int64) {
	for d := range space.NumDims {
		width := m.hw.BytesIn
		if d == o.out {
			width = m.hw.BytesAcc
		}
		bytes += width * m.fewTiles(o.op.Tensor(d))
	}
	return bytes
}

// fewTiles returns the fewest elements that a tensor's region holds where its
// tiles follow each other: two tiles, or all of it in one.
func (m *model) fewTiles(t space.Tensor) int64 {
	if m.hw.Cores != 1 {
		return 1 // a core's share may be one element
	}
	return min(2, m.problem.TileElements(t, m.dims))
}
