package exhaustive

import (
	"math"

	"github.com/npu-tune/npu-tune/space"
)

// split halves the range of one variable: that of the largest ratio of step
// counts, or, where those are known, of extents.
func (e *engine) split(st *structure, n *node) {
	at, ratio := -1, 1.0
	for v := range st.nvars {
		r := n.v[v]
		if r.lo == r.hi {
			continue
		}
		few, many := space.CeilDiv(st.extent[v], r.hi), space.CeilDiv(st.extent[v], r.lo)
		if few == many {
			continue
		}
		if q := float64(many) / float64(few); q > ratio {
			at, ratio = v, q
		}
	}
	if at >= 0 {
		r := n.v[at]
		few, many := space.CeilDiv(st.extent[at], r.hi), space.CeilDiv(st.extent[at], r.lo)
		mid := max(min(int64(math.Sqrt(float64(few)*float64(many))), many-1), few)
		cut := space.CeilDiv(st.extent[at], mid) // the least extent of at most mid steps
		e.halves(n, at, cut)
		return
	}
	if st.plan.Shared == 3 && !n.fixed {
		if r := n.v[st.nvars]; r.lo < r.hi {
			e.halves(n, st.nvars, middle(r))
			return
		}
	}
	for v := range st.nvars + 1 {
		r := n.v[v]
		if q := float64(r.hi) / float64(r.lo); r.lo < r.hi && q > ratio {
			at, ratio = v, q
		}
	}
	if at >= 0 {
		e.halves(n, at, middle(n.v[at]))
	}
}

// choose splits the box by a choice of hold levels, where one of the two
// raises the bound or is ruled out, or where nothing else is open.
func (e *engine) choose(st *structure, n *node) bool {
	narrow := st.narrow(n)
	for i := range st.nchoices {
		if n.chosen[i] != open || !narrow && (int(n.depth)+i)%probeEvery != 0 {
			continue
		}
		var half [2]node
		tells := narrow
		for j := range half {
			h := &half[j]
			*h = *n
			h.depth++
			h.chosen[i], h.raised = uint8(inner+j), false
			e.bound(h)
			switch {
			case !e.fig.Fits:
				h.bound = inf
				tells = true
			case h.bound > n.bound*(1+gain):
				tells = true
			}
		}
		if !tells {
			continue
		}
		for j := range half {
			h := &half[j]
			if h.bound == inf {
				e.stats.Infeasible++
				continue
			}
			h.raised, h.split = j == 1, -1 // the outer level takes more
			e.consider(h)
		}
		return true
	}
	return false
}

// probeEvery says at which depths a choice is tried before step counts are
// known: it seldom tells more than one split before.
const probeEvery = 2

// gain is how much, relatively, a choice must raise a bound to be made before
// step counts are known.
const gain = 0.002

// narrow reports whether all step counts are the same in the whole box.
func (st *structure) narrow(n *node) bool {
	for v := range st.nvars {
		if space.CeilDiv(st.extent[v], n.v[v].hi) != space.CeilDiv(st.extent[v], n.v[v].lo) {
			return false
		}
	}
	return true
}

// middle returns where to split a range: the geometric mean.
func middle(r interval) int64 {
	return min(max(r.lo+1, int64(math.Sqrt(float64(r.lo)*float64(r.hi)))), r.hi)
}

// halves splits variable v into the values below cut and the rest. The lower
// half has the parent's least extents.
func (e *engine) halves(n *node, v int, cut int64) {
	low, high := *n, *n
	low.v[v].hi, high.v[v].lo = cut-1, cut
	low.depth++
	high.depth++
	high.tried = false
	low.raised, high.raised = false, true
	high.split = int8(v)
	e.consider(&high)
	e.consider(&low)
}
