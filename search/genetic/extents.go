package genetic

import (
	"math/rand"
	"slices"

	"github.com/npu-tune/npu-tune/space"
)

// maxMultiples bounds the candidates that are multiples of one number.
const maxMultiples = 4096

// candidates returns the tile extents worth trying for an operation's
// dimension, rising: the smallest for each number of steps, and multiples of
// what figures jump at (the array's sides, a convolution's rows, images and
// channels).
func (b *breeder) candidates(op space.Op, o *space.OpSchedule, d space.Dim) []int64 {
	key := share{op, d, b.problem.Share(o, d)}
	list, ok := b.extents[key]
	if !ok {
		list = b.constrain(op, d, key.extent, extentsOf(key.extent, b.periods(d)))
		b.extents[key] = list
	}
	return list
}

// periods lists what figures jump at along a dimension.
func (b *breeder) periods(d space.Dim) []int64 {
	periods := []int64{b.problem.HW.Rows, b.problem.HW.Cols}
	if c := b.problem.Layer.Conv; c != nil {
		switch d {
		case space.M:
			periods = append(periods, c.Q, c.P*c.Q)
		case space.K:
			periods = append(periods, c.R*c.S)
		}
	}
	return periods
}

func extentsOf(extent int64, periods []int64) []int64 {
	var list []int64
	for steps := int64(1); ; {
		t := space.CeilDiv(extent, steps)
		list = append(list, t)
		if t == 1 {
			break
		}
		steps = max(steps+1, space.CeilDiv(extent, t-1)) // the fewest that allow a smaller tile
	}
	for _, p := range periods {
		for n := int64(1); n <= maxMultiples && n*p < extent; n++ {
			list = append(list, n*p)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// constrain replaces candidates by the nearest that the constraints allow.
func (b *breeder) constrain(op space.Op, d space.Dim, extent int64, list []int64) []int64 {
	c := &b.space.Constraints.Ops[op]
	multiple, most := max(c.TileMultiple[d], 1), c.TileMax[d]
	if multiple == 1 && most == 0 {
		return list
	}
	for i, t := range list {
		t = min(space.CeilDiv(t, multiple)*multiple, extent)
		if most > 0 && t > most {
			t = max(most/multiple*multiple, 1)
		}
		list[i] = t
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// anyExtent draws an extent of any magnitude.
func (b *breeder) anyExtent(op space.Op, o *space.OpSchedule, d space.Dim, rng *rand.Rand) int64 {
	list := b.candidates(op, o, d)
	return list[rng.Intn(len(list))]
}

// step moves an extent up or down its candidates: mostly to a neighbour,
// sometimes far.
func (b *breeder) step(op space.Op, o *space.OpSchedule, d space.Dim, up bool, rng *rand.Rand) {
	list := b.candidates(op, o, d)
	at, exact := slices.BinarySearch(list, o.Tile[d])
	distance := 1
	for distance < len(list) && rng.Intn(2) == 0 {
		distance *= 2
	}
	distance = 1 + rng.Intn(distance)
	if up {
		at += distance
		if !exact {
			at-- // at is already above
		}
	} else {
		at -= distance
	}
	o.Tile[d] = list[min(max(at, 0), len(list)-1)]
}

// scale multiplies an extent, towards the nearest candidate below.
func (b *breeder) scale(op space.Op, o *space.OpSchedule, d space.Dim, factor float64) {
	list := b.candidates(op, o, d)
	want := max(1, int64(float64(o.Tile[d])*factor))
	at, exact := slices.BinarySearch(list, want)
	if !exact && at > 0 {
		at--
	}
	o.Tile[d] = list[min(at, len(list)-1)]
}
