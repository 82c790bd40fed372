package space

import (
	"errors"
	"fmt"

	"github.com/npu-tune/npu-tune/hardware"
)

// ErrCapacity is wrapped where a schedule, or every one, exceeds the SPM.
var ErrCapacity = errors.New("SPM too small")

// Use is one region of the SPM under a schedule.
type Use struct {
	Region       Region
	Ops          [NumOps]bool // the operations that use it
	Slots        int64        // tiles that it holds, on one core
	TileElements int64        // elements of its largest tile
	TileBytes    int64        // bytes of its largest tile: partial sums' width for outputs
	// Copies is how many cores' regions lie in the SPM: 1 where each core
	// has its own, else all cores, or the distinct parts of an input.
	Copies int64
	Bytes  int64 // Slots·TileBytes·Copies
	Run    uint8 // 0, or 1 for dW's region where the gradients are two runs
	Pool   uint8 // the SPM pool
	Offset int64 // byte offset in the pool
}

// maxUses is the most regions of a pass: two own dY of the gradients, dX, dW
// and an operand each.
const maxUses = 6

// Footprint is the SPM under a schedule: the regions, laid out one after the
// other in each pool. Two runs overlay each other.
type Footprint struct {
	uses  [maxUses]Use
	count int
	runs  [2]run
	hw    *hardware.Params
}

// run is what one run of the schedule takes of each pool.
type run struct {
	pools [hardware.NumRoles]int64
	cores int64
}

// Footprint lays out the schedule's regions (cost model sections 3 and 6). The
// schedule must be legal. It allocates nothing.
func (p *Problem) Footprint(s *Schedule) Footprint {
	f := Footprint{hw: &p.HW}
	one, two := p.SharesDY(s), p.TwoRuns(s)
	for _, op := range s.Pass.Ops() {
		o := &s.Ops[op]
		which := 0
		if two && op == DW {
			which = 1
		}
		f.runs[which].cores = o.CoreCount()
		steps, extents := p.Steps(o), p.Extents(o)
		for _, d := range operandOrder(op) {
			u := Use{Region: region(op, d, one), Run: uint8(which)}
			if one && op == DW && d == K {
				f.uses[0].Ops[DW] = true // dY is dX's first operand
				continue
			}
			u.Ops[op] = true
			if u.Region == DYRegion {
				u.Slots = p.sharedSlots(s, steps)
			} else {
				u.Slots = p.slots(s, o, d, steps)
			}
			u.TileElements = p.TileElements(op.Tensor(d), extents)
			u.TileBytes = u.TileElements * p.elementBytes(op, d)
			u.Copies = p.spmCopies(op, o, d)
			f.add(u, p.HW.PoolOf[role(op, d)])
		}
	}
	return f
}

// add places a region behind what its run has in the pool.
func (f *Footprint) add(u Use, pool uint8) {
	r := &f.runs[u.Run]
	u.Bytes = u.Slots * u.TileBytes * u.Copies
	u.Pool = pool
	u.Offset = r.pools[pool]
	r.pools[pool] += u.Bytes
	f.uses[f.count] = u
	f.count++
}

// slots counts the tiles that a region of one operation's own holds.
func (p *Problem) slots(s *Schedule, o *OpSchedule, lacks Dim, steps [NumDims]int64) int64 {
	c := int64(1)
	for i := int(o.Hold[lacks]); i < 3; i++ {
		if d := o.Order[i]; d != lacks {
			c *= steps[d]
		}
	}
	if c > 1 {
		return c
	}
	// Only the loops that are not shared change a tile between two operations
	// next to each other: between shared points the other gradient runs.
	if s.Shared == 3 {
		if s.Pass == Backward && o.Order[2] != lacks && p.BurstSteps(s) > 1 {
			return 2
		}
		return 1
	}
	for _, d := range o.Order[s.Shared:] {
		if d != lacks && steps[d] > 1 {
			return 2
		}
	}
	return 1
}

// sharedSlots counts the tiles of one dY for both gradients, by dX's loops.
// Every operation uses it, so its tile changes between neighbours if at all.
func (p *Problem) sharedSlots(s *Schedule, steps [NumDims]int64) int64 {
	o := &s.Ops[DX]
	c := int64(1)
	for i := int(o.Hold[K]); i < 3; i++ {
		if d := o.Order[i]; d != K {
			c *= steps[d]
		}
	}
	if o.Hold[K] == 3 { // o.Order[2] is m or n, else the level is not canonical
		c = p.BurstSteps(s)
	}
	if c == 1 && steps[M]*steps[N] > 1 {
		return 2
	}
	return c
}

// region returns where the operation's operand that lacks d lies.
func region(op Op, d Dim, one bool) Region {
	t := op.Tensor(d)
	switch {
	case t != GradY:
		return Region(t)
	case one:
		return DYRegion
	case op == DX:
		return DYOfDX
	}
	return DYOfDW
}

func role(op Op, d Dim) hardware.Role {
	switch {
	case d == op.Reduction():
		return hardware.Accumulators
	case op.Tensor(d) == W:
		return hardware.Weights
	}
	return hardware.Inputs
}

// elementBytes returns the width of an element in the SPM.
func (p *Problem) elementBytes(op Op, d Dim) int64 {
	if d == op.Reduction() {
		return p.HW.BytesAcc
	}
	return p.HW.BytesIn
}

// spmCopies returns how many cores' copies of the operand that lacks d lie in
// one SPM.
func (p *Problem) spmCopies(op Op, o *OpSchedule, d Dim) int64 {
	switch {
	case !p.HW.SharedSPM:
		return 1
	case d == op.Reduction():
		return o.CoreCount()
	}
	return o.CoreCount() / o.Parts(d)
}

// Uses returns the regions, each operation's in the order left factor, right
// factor, result. The slice is the receiver's.
func (f *Footprint) Uses() []Use { return f.uses[:f.count] }

// Slots returns the tiles per region; 0 where there is no such region.
func (f *Footprint) Slots() [NumRegions]int64 {
	var n [NumRegions]int64
	for _, u := range f.Uses() {
		n[u.Region] = u.Slots
	}
	return n
}

// SPMBytes returns what the schedule takes of all pools: of one core, or of
// the shared SPM of all; of two runs the larger.
func (f *Footprint) SPMBytes() int64 { return max(f.runs[0].total(), f.runs[1].total()) }

func (r *run) total() int64 {
	var sum int64
	for _, b := range r.pools {
		sum += b
	}
	return sum
}

// PoolBytes returns what the schedule takes of one pool.
func (f *Footprint) PoolBytes(pool int) int64 {
	return max(f.runs[0].pools[pool], f.runs[1].pools[pool])
}

// Over returns by how many bytes the schedule exceeds the pools, summed over
// them (of two runs the worse); 0 if it fits. Reserved bytes are taken from
// each core's first pool.
func (f *Footprint) Over(reserved int64) int64 {
	var worst int64
	for i := range f.runs {
		var sum int64
		for pool := range f.hw.NPools {
			sum += max(0, f.runs[i].over(f.hw, pool, reserved))
		}
		worst = max(worst, sum)
	}
	return worst
}

// over returns how many bytes the run exceeds the pool by; negative: are free.
func (r *run) over(hw *hardware.Params, pool int, reserved int64) int64 {
	capacity := hw.Pools[pool].Bytes
	if capacity == 0 || r.cores == 0 { // unlimited, or no such run
		return 0
	}
	if pool == 0 {
		capacity -= reserved
	}
	if hw.SharedSPM {
		capacity *= r.cores
	}
	return r.pools[pool] - capacity
}

// Fits returns an error that says which pool the schedule exceeds and by how
// many bytes, nil if it fits. Reserved bytes are taken from each core's first
// pool.
func (f *Footprint) Fits(reserved int64) error {
	for i := range f.runs {
		r := &f.runs[i]
		for pool := range f.hw.NPools {
			if over := r.over(f.hw, pool, reserved); over > 0 {
				return fmt.Errorf("%w: %d bytes over: the schedule takes %d bytes of SPM pool %d, which has %d for it",
					ErrCapacity, over, r.pools[pool], pool, r.pools[pool]-over)
			}
		}
	}
	return nil
}
