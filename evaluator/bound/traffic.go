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

// room says how much SPM an operation's regions may take, and at least how
// many tiles they hold.
type room struct {
	own, dy float64 // parts of every pool: of its own regions, of dY's
	slots   float64
	dyStays bool // leaves out cases in which dY reloads
}

// alone bounds one operation that has the SPM to itself: every tensor of more
// than one tile has two slots at least.
func (m *model) alone(o *operation) float64 { return m.single(o, room{own: 1, dy: 1, slots: 2}) }

// single bounds the traffic of one operation in its room. The operands that do
// not reload move once; the cases of docs/bounds.md, section 3, bound the
// others.
func (m *model) single(o *operation, in room) float64 {
	least := math.Inf(1)
	for d := range space.NumDims {
		if m.holds(o, d, o.size[d], in) {
			return o.total(reload{}, 0)
		}
		if !in.dyStays || d == space.K {
			least = min(least, m.tileStays(o, d, in))
		}
		if in.dyStays && d == space.K {
			continue
		}
		for _, z := range dimsBut(d) {
			least = min(least, m.stripStays(o, d, z, in))
		}
	}
	return least
}

// tileStays bounds the case that tiles of the operand that lacks d stay while
// the other two reload.
func (m *model) tileStays(o *operation, d space.Dim, in room) float64 {
	j, k := dimsBut(d)[0], dimsBut(d)[1]
	elements := o.room[d] * in.part(d, o) * m.oneTile() / (o.held[d] * in.slots)
	r := reload{}
	r[j], r[k] = true, true
	return o.total(r, m.two(reloading{j, o.move[j]}, reloading{k, o.move[k]}, elements))
}

// stripStays bounds the case that the operand that lacks y reloads while a
// strip of the one that lacks z, the whole length of a dimension, stays.
func (m *model) stripStays(o *operation, y, z space.Dim, in room) float64 {
	length := float64(m.dims[space.M+space.N+space.K-y-z])
	if !m.holds(o, z, length, in) {
		return math.Inf(1)
	}
	width := o.room[z] * in.part(z, o) * m.cores / (o.held[z] * length)
	r := reload{}
	r[y] = true
	return o.total(r, m.one(reloading{y, o.move[y]}, width))
}

// reloading is a tensor, or several, that reload over the dimension that they
// lack, with the bytes of an element and visit.
type reloading struct {
	lacks space.Dim
	bytes float64
}

// most returns the largest extent of a tile that counts along the dimension:
// reloading takes two steps, which move as much as those of half of it.
func (m *model) most(d space.Dim) float64 { return float64(m.dims[d]) / 2 }

// one bounds the bytes of what reloads over a dimension in tiles of at most
// the width; +Inf where the dimension has one step.
func (m *model) one(r reloading, width float64) float64 {
	if m.dims[r.lacks] < 2 {
		return math.Inf(1)
	}
	return m.volume * r.bytes / min(width, m.most(r.lacks))
}

// two bounds the bytes of what reloads over two dimensions, where a tile with
// both has at most so many elements: the least of a/x + b/y with x·y ≤
// elements.
func (m *model) two(a, b reloading, elements float64) float64 {
	mostX, mostY := m.most(a.lacks), m.most(b.lacks)
	if mostX < 1 || mostY < 1 {
		return math.Inf(1)
	}
	x, y := mostX, mostY
	if mostX*mostY > elements {
		x = math.Sqrt(elements * a.bytes / b.bytes)
		x = min(max(x, elements/mostY), mostX)
		y = elements / x
	}
	return m.volume * (a.bytes/x + b.bytes/y)
}

// part returns the part of its pool that the operand that lacks d may take.
func (in room) part(d space.Dim, o *operation) float64 {
	if o.op.Tensor(d) == space.GradY {
		return in.dy
	}
	return in.own
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

// holds reports whether elements of the operand that lacks d may lie in the
// room of all cores' SPMs.
func (m *model) holds(o *operation, d space.Dim, elements float64, in room) bool {
	return o.held[d]*elements <= o.room[d]*in.part(d, o)*m.cores
}

// oneTile returns of how many cores a tile that stays saves traffic at once:
// one, unless one read serves several.
func (m *model) oneTile() float64 {
	if m.hw.Multicast || m.hw.SharedSPM {
		return m.cores
	}
	return 1
}

// dimsBut returns the two dimensions of the operand that lacks d.
func dimsBut(d space.Dim) [2]space.Dim {
	switch d {
	case space.M:
		return [2]space.Dim{space.N, space.K}
	case space.N:
		return [2]space.Dim{space.M, space.K}
	}
	return [2]space.Dim{space.M, space.N}
}
