package bound

import (
	"math"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/space"
)

// Bounds are figures that no legal schedule of a problem that fits the SPM
// falls below, on any number of cores that the NPU has. Bytes, cycles, MACs
// and energy are of all batches, SPMBytes of one, as in evaluator.Cost.
// Sections are those of docs/bounds.md.
type Bounds struct {
	// Compulsory is what each tensor moves at least, in bytes: every input is
	// read once, every output written once, dY read once for the two gradients
	// (section 2). An implicit convolution's X and dX count the fewest pixels.
	Compulsory [space.NumTensors]evaluator.Traffic
	// CompulsoryBytes is their sum.
	CompulsoryBytes int64
	// IOBytes bounds all DRAM traffic in bytes, given the size of the SPM
	// (sections 3 and 4); it is at least CompulsoryBytes.
	IOBytes int64
	// ComputeCycles bounds the array cycles of one core: folds that any tiling
	// pays, and one fill per tile operation that the SPM makes necessary
	// (section 5).
	ComputeCycles int64
	// Cycles bounds the latency: the array's cycles with the first load and
	// the last store, or the DMA engine's (section 6).
	Cycles float64
	// MACs is what every schedule multiplies.
	MACs int64
	// SPMAccessBytes bounds reads and writes of the SPM (section 7).
	SPMAccessBytes int64
	// EnergyPJ bounds the energy in pJ (section 7).
	EnergyPJ float64
	// SPMBytes is the least SPM that a schedule takes (section 8).
	SPMBytes int64
}

// EDP returns a bound on the energy-delay product in pJ·cycles.
func (b *Bounds) EDP() float64 { return b.EnergyPJ * b.Cycles }

// For returns the bounds of a problem, which must pass its Check. Hardware
// with 0 cores lets schedules use any number of them, which makes the bounds
// of anything but compulsory traffic weak.
func For(p *space.Problem) Bounds {
	m := newModel(p)
	var b Bounds
	m.compulsory(&b)
	io := m.io()
	b.IOBytes = max(atLeast(io.least()), b.CompulsoryBytes/m.batches)
	b.ComputeCycles, b.Cycles = m.time(io)
	b.SPMAccessBytes = m.access() + b.IOBytes
	b.SPMBytes = m.spm()
	b.IOBytes *= m.batches
	b.ComputeCycles *= m.batches
	b.Cycles *= float64(m.batches)
	b.SPMAccessBytes *= m.batches
	b.MACs = p.Layer.MACs() * int64(len(m.ops))
	e := &p.HW.Energy
	b.EnergyPJ = float64(b.MACs)*e.MACPJ + float64(b.SPMAccessBytes)*e.SPMPJPerByte +
		float64(b.IOBytes)*e.DRAMPJPerByte + b.Cycles*e.StaticPJPerCycle
	return b
}

// compulsory fills what must cross the DRAM interface.
func (m *model) compulsory(b *Bounds) {
	for _, o := range m.ops {
		for d := range space.NumDims {
			t := o.op.Tensor(d)
			bytes := atLeast(o.once[d]) * m.batches
			if d == o.out {
				b.Compulsory[t].Write = bytes
			} else {
				b.Compulsory[t].Read = bytes
			}
		}
	}
	for _, t := range b.Compulsory {
		b.CompulsoryBytes += t.Read + t.Write
	}
}

// slack is more than all rounding of a float bound, relative.
const slack = 1e-11

// atLeast returns the least whole number that a float bound allows.
func atLeast(x float64) int64 { return int64(math.Ceil(x * (1 - slack))) }
