package space

import (
	"slices"

	"github.com/npu-tune/npu-tune/hardware"
)

// Constraints restrict a Space: rules that a compiler imposes, or the family
// that a hand-tuned schedule belongs to. The zero value restricts nothing.
type Constraints struct {
	// Shared is the set of allowed shared loop counts of a backward pass, as
	// a bit mask (1<<0 | 1<<1 …); 0 allows all.
	Shared uint8
	// MaxBurst bounds bursts where three loops are shared; 0 allows all.
	MaxBurst int64
	// MinBurst asks, where three loops are shared, for bursts of at least as
	// many steps, or of all where the loop has fewer; 0 allows all.
	MinBurst int64
	// SeparateDY forbids that dY is one region of both gradients. Together with
	// Shared 1<<0 it leaves two runs that have nothing in common.
	SeparateDY bool
	// Ops restrict the single operations, indexed by Op.
	Ops [NumOps]OpConstraints
	// Partitions are the allowed splits of m, n and k over the cores, each at
	// least 1; empty allows all.
	Partitions [][NumDims]uint16
	// ReservedSPMBytes is taken from each core's first SPM pool.
	ReservedSPMBytes int64
}

// OpConstraints restrict one operation.
type OpConstraints struct {
	Orders    []Order             // allowed loop orders; empty allows all
	Dataflows []hardware.Dataflow // allowed dataflows; empty allows all
	// Hold is the set of allowed hold levels per operand (by the dimension it
	// lacks), as a bit mask 1<<level; 0 allows all.
	Hold [NumDims]uint8
	// TileMultiple asks that a tile extent is a multiple of it, or the whole
	// share; 0 allows all.
	TileMultiple [NumDims]int64
	// TileMax bounds tile extents; 0 allows all.
	TileMax [NumDims]int64
	// NoPartialSums forbids that partial sums of the output go to DRAM.
	NoPartialSums bool
}

// AllowsPartition reports whether the dimensions may be split so over the
// cores, where 0 parts mean 1.
func (c *Constraints) AllowsPartition(parts [NumDims]uint16) bool {
	for d := range parts {
		parts[d] = max(parts[d], 1)
	}
	return len(c.Partitions) == 0 || slices.Contains(c.Partitions, parts)
}
