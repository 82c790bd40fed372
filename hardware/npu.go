package hardware

import "slices"

// NPU is an accelerator as its YAML describes it. Load, Parse and Preset
// return valid ones; Params converts to what cost depends on.
type NPU struct {
	Name        string
	Description string // one line; may be empty
	Array       Array  // of each core
	Dataflows   []Dataflow
	ClockMHz    float64
	Cores       int64 // cores that a pass may use
	MaxCores    int64 // what WithCores admits; 0 means MaxCores of the package
	SPMs        []SPM // of each core; one that holds everything is unified
	SPMShared   bool  // the cores' SPMs are one
	Multicast   bool  // one DRAM read serves every core that wants the part

	// Exactly one of the two is given, in 1e9 bytes/s.
	DRAMGBPerS        float64 // the whole interface
	DRAMGBPerSPerCore float64 // each core's part of it

	DMALatency     int64 // cycles of each stage that moves anything
	BytesIn        int64 // bytes of an element read from DRAM as input
	BytesOut       int64 // bytes of a complete output element
	BytesAcc       int64 // bytes of a partial sum
	Energy         Energy
	ExplicitIm2col bool // convolutions move the im2col matrix, not input pixels
}

// Array is the processing elements of one core.
type Array struct {
	Rows, Cols int64
	Pipelined  bool // the next fold's fill hides behind this fold
}

// TotalGBPerS returns the bandwidth of the whole DRAM interface in 1e9
// bytes/s.
func (n *NPU) TotalGBPerS() float64 {
	if n.DRAMGBPerSPerCore != 0 {
		return n.DRAMGBPerSPerCore * float64(n.Cores)
	}
	return n.DRAMGBPerS
}

// BytesPerCycle returns what the whole DRAM interface moves in a cycle of the
// NPU's clock: GB/s · 1000 / MHz.
func (n *NPU) BytesPerCycle() float64 { return n.TotalGBPerS() * 1000 / n.ClockMHz }

// PeakTMACs returns the multiply-accumulates of all cores' arrays together, in
// 1e12 a second.
func (n *NPU) PeakTMACs() float64 {
	return float64(n.Array.Rows*n.Array.Cols*n.Cores) * n.ClockMHz / 1e6
}

// Params returns the figures that cost depends on. n must be valid.
func (n *NPU) Params() Params {
	p := Params{
		Rows: n.Array.Rows, Cols: n.Array.Cols, Pipelined: n.Array.Pipelined,
		BytesPerCycle: n.BytesPerCycle(), DMALatency: n.DMALatency,
		BytesIn: n.BytesIn, BytesOut: n.BytesOut, BytesAcc: n.BytesAcc,
		Multicast: n.Multicast, SharedSPM: n.SPMShared, Cores: n.Cores,
		Energy: n.Energy, ExplicitIm2col: n.ExplicitIm2col,
	}
	p.setPools(n.SPMs)
	if len(n.Dataflows) < int(NumDataflows) {
		for _, d := range n.Dataflows {
			p.Dataflows[d] = true
		}
	}
	return p
}

// WithCores returns a copy of n with c cores. SPM is per core and grows with
// them; so does bandwidth where it is given per core. It fails, wrapping
// ErrInvalid, unless c is 1 to the NPU's MaxCores.
func (n *NPU) WithCores(c int64) (*NPU, error) {
	limit := MaxCores
	if n.MaxCores != 0 {
		limit = n.MaxCores
	}
	var v violations
	v.whole("cores", c, 1, limit)
	if err := v.err(); err != nil {
		return nil, err
	}
	m := n.clone()
	m.Cores = c
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return m, nil
}

func (n *NPU) clone() *NPU {
	m := *n
	m.Dataflows = slices.Clone(n.Dataflows)
	m.SPMs = slices.Clone(n.SPMs)
	for i := range m.SPMs {
		m.SPMs[i].Holds = slices.Clone(m.SPMs[i].Holds)
	}
	return &m
}
