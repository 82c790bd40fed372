package bound

import (
	"math"

	"github.com/npu-tune/npu-tune/space"
)

// shares is into how many parts the SPM is cut to bound what each gradient
// gains from its part.
const shares = 32

// beside bounds two gradients that alternate, each with a dY of its own. Their
// regions share the SPM: wherever its border lies, dx has at most i+1 of the
// parts and dw at most the rest (docs/bounds.md, section 4.1).
func (m *model) beside(dx, dw *operation) float64 {
	if m.hw.NPools > 1 {
		return m.single(dx, 1, 1, false) + m.single(dw, 1, 1, false)
	}
	least := math.Inf(1)
	for i := range shares {
		x, w := float64(i+1)/shares, float64(shares-i)/shares
		least = min(least, m.single(dx, x, 1, false)+m.single(dw, w, 1, false))
	}
	return least
}

// merged bounds two gradients with one dY region, which moves once for both
// (docs/bounds.md, section 4.2).
func (m *model) merged(dx, dw *operation) float64 {
	dy := dx.once[space.K]
	once := dx.total(reload{}, 0) + dw.total(reload{}, 0) - dy
	// dY stays in both.
	least := m.single(dx, 1, 2, true) + m.single(dw, 1, 2, true) - dy
	// dY reloads: then both walk the same loops with the same tiles.
	for _, z := range [2]space.Dim{space.M, space.N} {
		y := space.M + space.N - z
		least = min(least, m.sameLoops(dx, dw, y, z, once))
	}
	return max(once, least)
}

// sameLoops bounds the case that dY reloads: the tiles of the two tensors that
// lack z stay while dY and the two that lack y reload, or a strip or the whole
// of a tensor that lacks y stays too.
func (m *model) sameLoops(dx, dw *operation, y, z space.Dim, once float64) float64 {
	dy := dx.move[space.K]
	tile := m.bothFit(dx, dw, z) * m.oneTile()
	moved := 2 * m.volume * math.Sqrt(dy*(dx.move[y]+dw.move[y])/tile)
	least := once - dx.once[space.K] - dx.once[y] - dw.once[y] + moved
	for _, o := range [2]*operation{dx, dw} {
		if o.out == y {
			least -= o.less
		}
	}
	length := float64(m.dims[z])
	for _, o := range [2]*operation{dx, dw} {
		if m.holds(o, y, o.size[y], 1) {
			return once
		}
		if m.holds(o, y, length, 1) {
			strips := o.room[y] * m.cores / (o.held[y] * length)
			least = min(least, once-dx.once[space.K]+m.volume*dy/strips)
		}
	}
	return least
}

// bothFit returns how many elements a tile of each of the two tensors that
// lack z can have beside the other.
func (m *model) bothFit(dx, dw *operation, z space.Dim) float64 {
	if dx.pool[z] == dw.pool[z] {
		return dx.room[z] / (dx.held[z] + dw.held[z])
	}
	return min(dx.room[z]/dx.held[z], dw.room[z]/dw.held[z])
}
