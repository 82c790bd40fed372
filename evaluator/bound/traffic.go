package bound

import (
	"math"

	"github.com/npu-tune/npu-tune/space"
)

// reload says which operands a case of the proof lets reload.
type reload [space.NumDims]bool

// traffic bounds the DRAM bytes of one batch: of each operation where it runs
// alone, and of two gradients in one run.
type traffic struct {
	runs     []float64
	together float64 // +Inf where the pass has one operation
}

func (m *model) io() traffic {
	t := traffic{together: math.Inf(1)}
	for i := range m.ops {
		t.runs = append(t.runs, m.alone(&m.ops[i]))
	}
	if len(m.ops) == 2 {
		t.together = min(m.beside(&m.ops[0], &m.ops[1]), m.merged(&m.ops[0], &m.ops[1]))
	}
	return t
}

// least returns a bound whichever way the pass runs.
func (t *traffic) least() float64 {
	var sum float64
	for _, bytes := range t.runs {
		sum += bytes
	}
	return min(sum, t.together)
}

// alone bounds one operation that has the SPM to itself: every tensor of more
// than one tile has two slots at least (docs/bounds.md, section 3).
func (m *model) alone(o *operation) float64 { return m.single(o, 1, 2, false) }

// single bounds the traffic of one operation whose regions take at most a share of the
// SPM and hold at least slots tiles; dyStays leaves out cases in which dY
// reloads. The operands that do not reload move once; the cases of docs/bounds.md, section 3,
// bound the others.
func (m *model) single(o *operation, share, slots float64, dyStays bool) float64 {
	least := math.Inf(1)
	for d := range space.NumDims {
		if m.holds(o, d, o.size[d], share) {
			return o.total(reload{}, 0)
		}
		j, k := others(d)
		if dyStays && d != space.K {
			continue
		}
		// d's tile stays while the other two reload.
		tile := o.room[d] * share * m.oneTile() / (o.held[d] * slots)
		moved := 2 * m.volume * math.Sqrt(o.move[j]*o.move[k]/tile)
		r := reload{}
		r[j], r[k] = true, true
		least = min(least, o.total(r, moved))
	}
	for y := range space.NumDims {
		if dyStays && y == space.K {
			continue
		}
		for _, z := range dimsBut(y) {
			// A strip of z, the whole length of a dimension, stays while y reloads.
			length := float64(m.dims[space.M+space.N+space.K-y-z])
			if !m.holds(o, z, length, share) {
				continue
			}
			strips := o.room[z] * share * m.cores / (o.held[z] * length)
			r := reload{}
			r[y] = true
			least = min(least, o.total(r, m.volume*o.move[y]/strips))
		}
	}
	return least
}

// total adds what the operands that stay move to what the others do, at least
// what all must move.
func (o *operation) total(r reload, moved float64) float64 {
	var all, stay float64
	for d, once := range o.once {
		all += once
		if !r[d] {
			stay += once
		}
	}
	if r[o.out] {
		stay -= o.less
	}
	return max(all, stay+moved)
}

// holds reports whether elements of the operand that lacks d may lie in a
// share of all cores' SPMs.
func (m *model) holds(o *operation, d space.Dim, elements, share float64) bool {
	return o.held[d]*elements <= o.room[d]*share*m.cores
}

// oneTile returns of how many cores a tile that stays saves traffic at once:
// one, unless one read serves several.
func (m *model) oneTile() float64 {
	if m.hw.Multicast || m.hw.SharedSPM {
		return m.cores
	}
	return 1
}

// others returns the two dimensions but d.
func others(d space.Dim) (a, b space.Dim) {
	x := dimsBut(d)
	return x[0], x[1]
}

func dimsBut(d space.Dim) [2]space.Dim {
	switch d {
	case space.M:
		return [2]space.Dim{space.N, space.K}
	case space.N:
		return [2]space.Dim{space.M, space.K}
	}
	return [2]space.Dim{space.M, space.N}
}
