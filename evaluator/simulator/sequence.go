package simulator

// step is one tile operation of a run's sequence.
type step struct {
	gemm  int     // which operation of the run
	index extents // of the tile along m, n, k
	burst int64   // number of the burst along the innermost loop, with three shared loops
}

// walk yields the run's tile operations in order (cost model section 2): for
// each point of the shared loops, the rest of the first operation, then the
// rest of the second. Three shared loops alternate in bursts.
func (r *run) walk(yield func(step) bool) {
	outer := min(r.shared, 2)
	r.gemms[0].loops(0, outer, extents{}, func(point extents) bool {
		if r.shared == 3 {
			return r.bursts(point, yield)
		}
		for i := range r.gemms {
			if !r.gemms[i].loops(outer, 3, point, func(at extents) bool {
				return yield(step{gemm: i, index: at})
			}) {
				return false
			}
		}
		return true
	})
}

// bursts yields one innermost loop, both operations in turn.
func (r *run) bursts(point extents, yield func(step) bool) bool {
	inner := r.gemms[0].order[2]
	n := r.gemms[0].steps[inner]
	for number, from := int64(0), int64(0); from < n; number, from = number+1, from+r.burst {
		to := n
		if n-from > r.burst {
			to = from + r.burst
		}
		for i := range r.gemms {
			for at := from; at < to; at++ {
				point[inner] = at
				if !yield(step{gemm: i, index: point, burst: number}) {
					return false
				}
			}
		}
		if to == n {
			break // from+burst may overflow
		}
	}
	return true
}

// loops visits the points of loops from..to-1 of the operation's order, the
// others fixed, until visit says false; it reports whether it went through.
func (g *gemm) loops(from, to int, point extents, visit func(extents) bool) bool {
	if from == to {
		return visit(point)
	}
	d := g.order[from]
	for i := range g.steps[d] {
		point[d] = i
		if !g.loops(from+1, to, point, visit) {
			return false
		}
	}
	return true
}
