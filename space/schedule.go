package space

import "github.com/npu-tune/npu-tune/hardware"

// OpSchedule is how one operation runs.
type OpSchedule struct {
	// Tile holds the tile's extent per dimension, indexed by Dim: 1 to the
	// core's share of the dimension.
	Tile [NumDims]int64
	// Order lists the loops, outermost first.
	Order Order
	// Hold is the hold level of the operand that lacks each dimension
	// (Op.Tensor): 0 the whole tensor, else the position 1..3 of the loop
	// inside which the tensor's footprint stays in the SPM.
	Hold [NumDims]uint8
	// Dataflow is how the array runs each tile operation.
	Dataflow hardware.Dataflow
	// Cores is into how many parts each dimension is split; 0 means 1.
	Cores [NumDims]uint16
}

// Schedule is one way to run a pass of a layer: the only type that says so,
// from genome to JSON to plugin wire. It is a comparable value.
type Schedule struct {
	Pass Pass
	// Shared is how many outermost loops the two gradients of a backward pass
	// walk together: 0 (one after the other) to 3 (tile by tile).
	Shared uint8
	// Burst is how many steps of the innermost loop one gradient runs before
	// the other follows, with three shared loops; 0 means 1.
	Burst int64
	// Ops holds the pass's operations, indexed by Op; others are zero.
	Ops [NumOps]OpSchedule
}

// Parts returns into how many parts d is split over the cores, at least 1.
func (o *OpSchedule) Parts(d Dim) int64 { return max(int64(o.Cores[d]), 1) }

// CoreCount returns how many cores the operation uses.
func (o *OpSchedule) CoreCount() int64 { return o.Parts(M) * o.Parts(N) * o.Parts(K) }
