package evaluator

import "github.com/npu-tune/npu-tune/space"

// Traffic is what one tensor moves over the DRAM interface, in bytes.
type Traffic struct {
	Read  int64 `json:"read"`
	Write int64 `json:"write"`
}

// Cost is what a schedule costs (cost model sections 3 to 7). Bytes, cycles,
// MACs and energy are of all batches; Ops, Slots and SPMBytes of one.
type Cost struct {
	Ops            int64                     // tile operations of one core
	Traffic        [space.NumTensors]Traffic // bytes by tensor
	ReductionBytes int64                     // of DRAMBytes, what sums partial results of several cores
	DRAMBytes      int64                     // all bytes over the DRAM interface
	Slots          [space.NumRegions]int64   // tiles that each region holds; 0: no such region
	SPMBytes       int64
	ComputeCycles  int64 // array cycles of one core
	Cycles         float64
	MACs           int64
	SPMAccessBytes int64
	EnergyPJ       float64
}

// EDP returns the energy-delay product in pJ·cycles.
func (c *Cost) EDP() float64 { return c.EnergyPJ * c.Cycles }
