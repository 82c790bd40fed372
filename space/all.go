package space

import (
	"iter"

	"github.com/npu-tune/npu-tune/hardware"
)

// All enumerates every legal schedule of a tiny problem on one core, nothing
// pruned: all integer extents, orders, holds, dataflows, shared loops and
// bursts. Their number is the square of one operation's for a backward pass.
func All(p *Problem) iter.Seq[Schedule] {
	return func(yield func(Schedule) bool) {
		if p.Pass != Backward {
			op := p.Pass.Ops()[0]
			for o := range AllOps(p, op) {
				s := Schedule{Pass: p.Pass}
				s.Ops[op] = o
				if !yield(s) {
					return
				}
			}
			return
		}
		for dx := range AllOps(p, DX) {
			for dw := range AllOps(p, DW) {
				if !allPairs(p, dx, dw, yield) {
					return
				}
			}
		}
	}
}

// allPairs enumerates how two gradients can alternate.
func allPairs(p *Problem, dx, dw OpSchedule, yield func(Schedule) bool) bool {
	s := Schedule{Pass: Backward}
	s.Ops[DX], s.Ops[DW] = dx, dw
	for s.Shared = 0; s.Shared < 3; s.Shared++ {
		if !yield(s) {
			return false
		}
		if d := dx.Order[s.Shared]; d != dw.Order[s.Shared] || dx.Tile[d] != dw.Tile[d] {
			return true
		}
	}
	for s.Burst = 1; s.Burst <= p.Steps(&dx)[dx.Order[2]]; s.Burst++ {
		if !yield(s) {
			return false
		}
	}
	return true
}

// AllOps enumerates every way to run one operation on one core: all integer
// extents, orders, holds and the array's dataflows.
func AllOps(p *Problem, op Op) iter.Seq[OpSchedule] {
	return func(yield func(OpSchedule) bool) {
		var o OpSchedule
		for _, o.Order = range Orders {
			for o.Tile[M] = 1; o.Tile[M] <= p.Dim(M); o.Tile[M]++ {
				for o.Tile[N] = 1; o.Tile[N] <= p.Dim(N); o.Tile[N]++ {
					for o.Tile[K] = 1; o.Tile[K] <= p.Dim(K); o.Tile[K]++ {
						if !allHolds(p, o, yield) {
							return
						}
					}
				}
			}
		}
	}
}

func allHolds(p *Problem, o OpSchedule, yield func(OpSchedule) bool) bool {
	for _, o.Hold[M] = range HoldLevels(o.Order, M) {
		for _, o.Hold[N] = range HoldLevels(o.Order, N) {
			for _, o.Hold[K] = range HoldLevels(o.Order, K) {
				for o.Dataflow = range hardware.NumDataflows {
					if p.HW.HasDataflow(o.Dataflow) && !yield(o) {
						return false
					}
				}
			}
		}
	}
	return true
}
