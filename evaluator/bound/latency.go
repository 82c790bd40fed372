package bound

import (
	"math"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/space"
)

// time bounds one batch's array cycles of a core and its latency, given bounds
// on DRAM traffic (docs/bounds.md, sections 5 and 6).
func (m *model) time(io traffic) (compute int64, cycles float64) {
	var array, runs float64
	for i := range m.ops {
		o := &m.ops[i]
		fewest, fastest := math.Inf(1), math.Inf(1)
		m.eachParts(func(p parts) {
			fewest = min(fewest, m.leastArray(o, p, len(m.ops) == 1))
			fastest = min(fastest, max(m.loadAndRun(o, p, true)+m.lastStore(o, p), m.dma(m.moved(o, p)), m.dma(io.runs[i])))
		})
		array += fewest
		runs += fastest
	}
	cycles = runs
	if len(m.ops) == 2 {
		together := math.Inf(1)
		m.eachParts(func(p parts) { together = min(together, m.together(p, io.together)) })
		cycles = min(runs, together)
	}
	return atLeast(array), cycles * (1 - slack)
}

// leastArray bounds the array cycles of an operation on a core.
func (m *model) leastArray(o *operation, p parts, alone bool) float64 {
	n, share, least := m.fewest(o, p, alone), m.share(p), math.Inf(1)
	m.flows(func(f hardware.Dataflow) { least = min(least, m.array(o.op, share, f).at(n)) })
	return least
}

// together bounds the latency of two gradients in one run: dx loads first and
// dw stores last.
func (m *model) together(p parts, io float64) float64 {
	dx, dw := &m.ops[0], &m.ops[1]
	compute := m.loadAndRun(dx, p, false) + m.leastArray(dw, p, false) + m.lastStore(dw, p)
	bytes := m.moved(dx, p) + m.moved(dw, p) - m.copied(dx, p, space.K)
	return max(compute, m.dma(max(io, bytes)))
}

// loadAndRun bounds the first load and the array's cycles together. Few
// operations have large tiles, which take long to load before the first; many
// pay many fills.
func (m *model) loadAndRun(o *operation, p parts, alone bool) float64 {
	var load float64 // cycles of loading all inputs
	for d := range space.NumDims {
		if d != o.out {
			load += o.once[d] / m.hw.BytesPerCycle
		}
	}
	share, fewest, least := m.share(p), m.fewest(o, p, alone), math.Inf(1)
	most := float64(share[0]) * float64(share[1]) * float64(share[2])
	if m.hw.Cores == 0 {
		most = m.volume // the share may be anything
	}
	m.flows(func(f hardware.Dataflow) {
		w := m.array(o.op, share, f)
		n := most
		if w.fill > 0 {
			n = min(most, max(fewest, w.fills, math.Sqrt(load/w.fill)))
		}
		least = min(least, w.at(n)+load/n)
	})
	return least + float64(m.hw.DMALatency)
}

// lastStore bounds the store after the last operation: an element of each core.
func (m *model) lastStore(o *operation, p parts) float64 {
	width := m.hw.BytesOut
	if p[o.out] > 1 {
		width = m.hw.BytesAcc
	}
	return float64(m.hw.DMALatency) + float64(width*p.cores())/m.hw.BytesPerCycle
}

// dma returns the cycles of the DMA engine for bytes in a first, a last
// and any other stages.
func (m *model) dma(bytes float64) float64 {
	return 2*float64(m.hw.DMALatency) + bytes/m.hw.BytesPerCycle
}

// moved bounds what an operation moves on so many cores.
func (m *model) moved(o *operation, p parts) (bytes float64) {
	for d := range space.NumDims {
		bytes += m.copied(o, p, d)
	}
	return bytes
}

// copied bounds what an operand moves: once per core that reads it, unless one
// read serves all; partial sums of several cores meet in DRAM.
func (m *model) copied(o *operation, p parts, d space.Dim) float64 {
	switch {
	case d != o.out && (m.hw.Multicast || m.hw.SharedSPM):
		return o.once[d]
	case d != o.out || p[d] == 1:
		return o.once[d] * float64(p[d])
	}
	// Each core writes partial sums, which are read again.
	return o.once[d] + float64(p[d])*o.move[d]*o.size[d]
}
