package bound

import (
	"math"

	"github.com/npu-tune/npu-tune/space"
)

// parts of the SPM that are told apart to bound what each gradient gains from
// its own.
const borders = 128

// split bounds two gradients in one run, whose own regions share the SPM:
// wherever the border between them lies, dx has at most i+1 of the parts and
// dw at most the rest. With several pools there are several borders; then each
// gradient may have all.
func (m *model) split(sum func(x, w float64) float64) float64 {
	if m.hw.NPools > 1 {
		return sum(1, 1)
	}
	least := math.Inf(1)
	for i := range borders {
		least = min(least, sum(float64(i+1)/borders, float64(borders-i)/borders))
	}
	return least
}

// beside bounds two gradients that alternate, each with a dY of its own
// (docs/bounds.md, section 4.1).
func (m *model) beside(dx, dw *operation) float64 {
	return m.split(func(x, w float64) float64 {
		return m.single(dx, room{own: x, dy: x, slots: 1}) + m.single(dw, room{own: w, dy: w, slots: 1})
	})
}

// merged bounds two gradients with one dY region, which moves once for both
// (docs/bounds.md, section 4.2).
func (m *model) merged(dx, dw *operation) float64 {
	dy := dx.once[space.K]
	once := dx.total(reload{}, 0) + dw.total(reload{}, 0) - dy
	// dY stays in both: its region, of two slots where it has two tiles, is common.
	least := m.split(func(x, w float64) float64 {
		return m.single(dx, room{own: x, dy: 1, slots: 2, dyStays: true}) + m.single(dw, room{own: w, dy: 1, slots: 2, dyStays: true}) - dy
	})
	// dY reloads: then both walk the same loops with the same tiles.
	for _, z := range [2]space.Dim{space.M, space.N} {
		y := space.M + space.N - z
		least = min(least, m.sameLoops(dx, dw, y, z, once))
	}
	return max(once, least)
}

// sameLoops bounds the case that dY reloads: the tiles of the two tensors that
// lack z stay while dY and the two that lack y reload, or strips of one or both
// of these stay too, or a whole tensor.
func (m *model) sameLoops(dx, dw *operation, y, z space.Dim, once float64) float64 {
	dy, all := dx.move[space.K], room{own: 1, dy: 1}
	once -= dx.once[space.K] // what the others move once
	tiles := m.bothFit(dx, dw, z) * m.oneTile()
	least := math.Inf(1)
	if length := float64(m.dims[z]); m.bothFit(dx, dw, y)*m.cores >= length {
		least = once + m.one(reloading{space.K, dy}, m.bothFit(dx, dw, y)*m.cores/length)
	}
	both := once + m.two(reloading{space.K, dy}, reloading{y, dx.move[y] + dw.move[y]}, tiles)
	for _, o := range [2]*operation{dx, dw} {
		if m.holds(o, y, o.size[y], all) {
			least = min(least, once+m.one(reloading{space.K, dy}, math.Inf(1)))
		}
		both -= o.again(y)
		least = min(least, once+m.oneStrip(dx, dw, o, y, z))
	}
	return min(least, both)
}

// oneStrip bounds what dY and one of the two tensors that lack y move while a
// strip of the other, o's, stays beside the tiles of the two that lack z.
func (m *model) oneStrip(dx, dw, o *operation, y, z space.Dim) float64 {
	dy, length := dx.move[space.K], float64(m.dims[z])
	if !m.holds(o, y, length, room{own: 1, dy: 1}) {
		return math.Inf(1)
	}
	width := o.room[y] * m.cores / (o.held[y] * length)
	moved := m.one(reloading{space.K, dy}, width)
	if m.hw.NPools > 1 {
		return moved // the strip may lie in a pool of its own
	}
	other := dx
	if o == dx {
		other = dw
	}
	tiles := m.bothFit(dx, dw, z) * m.oneTile()
	if m.most(y) < 1 {
		return moved // the other does not reload
	}
	// dY's tile is as narrow as strip and tiles together make it.
	w := other.move[y]
	t := min(math.Sqrt(w*tiles/dy), m.most(y))
	beside := m.volume * (dy/width + dy*t/tiles + w/t)
	return max(moved, beside-other.again(y))
}

// again returns what (3) of docs/bounds.md takes off where the operand that
// lacks d reloads: what it moves once anyway, and for an output the partial
// sums that its first visit does not read.
func (o *operation) again(d space.Dim) float64 {
	if d == o.out {
		return o.once[d] + o.less
	}
	return o.once[d]
}

// bothFit returns how many elements a tile of each of the two tensors that
// lack z can have beside the other.
func (m *model) bothFit(dx, dw *operation, z space.Dim) float64 {
	if dx.pool[z] == dw.pool[z] {
		return dx.room[z] / (dx.held[z] + dw.held[z])
	}
	return min(dx.room[z]/dx.held[z], dw.room[z]/dw.held[z])
}
