package exhaustive

import (
	"github.com/npu-tune/npu-tune/space"
)

// shrink leaves out the upper part of a tile extent's range where no schedule
// fits the SPM even with all other extents at their least. It reports whether
// some loop has more steps then. It works on the box of the last bound.
func (e *engine) shrink(n *node) bool {
	st := &e.structures[n.st]
	more := false
	for v := range st.nvars {
		r := &n.v[v]
		if r.lo == r.hi || int8(v) == n.split || e.fitsFrom(st, n, v, r.hi) {
			continue
		}
		// the least extent from which on nothing fits
		low, high := r.lo, r.hi // fits, does not
		for high-low > 1 {
			mid := low + (high-low)/2
			if e.fitsFrom(st, n, v, mid) {
				low = mid
			} else {
				high = mid
			}
		}
		more = more || space.CeilDiv(st.extent[v], r.hi) != space.CeilDiv(st.extent[v], low)
		r.hi = low
		e.set(st, v, *r)
	}
	return more
}

// fitsFrom reports whether something may fit with variable v at t or more.
func (e *engine) fitsFrom(st *structure, n *node, v int, t int64) bool {
	e.set(st, v, interval{t, n.v[v].hi})
	fits := e.model.Fits(&e.box, &e.mem, st.users[v])
	e.set(st, v, n.v[v])
	return fits
}

// set sets the range of a tile variable in the engine's box.
func (e *engine) set(st *structure, v int, r interval) {
	for _, op := range st.ops {
		for d := range space.NumDims {
			if int(st.of[op][d]) == v {
				e.box.Lo[op][d], e.box.Hi[op][d] = r.lo, r.hi
			}
		}
	}
}
