package simulator

import (
	"errors"
	"fmt"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/space"
)

// ErrCapacity is wrapped where regions do not fit the SPM.
var ErrCapacity = errors.New("SPM too small")

// area is a region's place in its SPM pool.
type area struct {
	region   space.Region
	pool     int
	offset   int64 // bytes from the pool's start
	slots    int64
	slot     int64 // bytes of one slot
	replicas int64 // with a shared SPM, how many distinct parts it holds; else 1
}

func (a *area) bytes() int64 { return a.slots * a.slot * a.replicas }

// areas lays the run's regions out one after the other, each in its pool: of
// each operation the left factor, the right factor, the result.
func (r *run) areas(v *visits) []area {
	var areas []area
	var placed [space.NumRegions]bool
	var end [hardware.NumRoles]int64
	for i := range r.gemms {
		g := &r.gemms[i]
		for _, lacks := range [...]space.Dim{g.op.Columns(), g.op.Rows(), g.op.Reduction()} {
			x := &g.operands[lacks]
			if placed[x.region] {
				continue
			}
			placed[x.region] = true
			pool := int(r.problem.HW.PoolOf[roleOf(x.tensor)])
			a := area{region: x.region, pool: pool, offset: end[pool], slots: v.slots[x.region], slot: r.slotBytes(g, x), replicas: 1}
			if r.problem.HW.SharedSPM {
				a.replicas = x.copies
			}
			end[pool] += a.bytes()
			areas = append(areas, a)
		}
	}
	return areas
}

// fits reports a pool that the run's regions exceed, wrapped in ErrCapacity.
func (r *run) fits(areas []area) error {
	var used [hardware.NumRoles]int64
	for i := range areas {
		used[areas[i].pool] += areas[i].bytes()
	}
	for pool, limit := range r.capacities() {
		if limit > 0 && used[pool] > limit {
			return fmt.Errorf("%w: pool %d holds %d bytes, the regions need %d", ErrCapacity, pool, limit, used[pool])
		}
	}
	return nil
}

func roleOf(t space.Tensor) hardware.Role {
	switch t {
	case space.W:
		return hardware.Weights
	case space.X, space.GradY:
		return hardware.Inputs
	default:
		return hardware.Accumulators
	}
}
