package genetic

import (
	"math/rand"

	"github.com/npu-tune/npu-tune/space"
)

// move changes one thing about a schedule.
func (b *breeder) move(s *space.Schedule, rng *rand.Rand) {
	op := b.ops[rng.Intn(len(b.ops))]
	o := &s.Ops[op]
	d := space.Dim(rng.Intn(int(space.NumDims)))
	switch pick := rng.Intn(100); {
	case pick < 55:
		b.resize(s, op, d, rng)
	case pick < 61:
		at := rng.Intn(int(space.NumDims) - 1)
		o.Order[at], o.Order[at+1] = o.Order[at+1], o.Order[at]
		b.refill(s, op, rng)
	case pick < 74:
		o.Hold[d] = uint8(rng.Intn(int(space.NumDims) + 1))
		b.refill(s, op, rng)
	case pick < 80:
		o.Dataflow = b.dataflows[rng.Intn(len(b.dataflows))]
	case pick < 84:
		o.Order = space.Orders[rng.Intn(len(space.Orders))]
		b.refill(s, op, rng)
	case pick < 88 && b.cores > 1:
		b.splitCores(o, rng)
	case s.Pass == space.Backward:
		b.movePair(s, op, rng)
	default:
		b.grow(s, op, rng)
	}
	b.settle(s, op)
}

// resize changes tile extents.
func (b *breeder) resize(s *space.Schedule, op space.Op, d space.Dim, rng *rand.Rand) {
	o := &s.Ops[op]
	switch pick := rng.Intn(55); {
	case pick < 15:
		b.step(op, o, d, rng.Intn(2) == 0, rng)
	case pick < 18:
		o.Tile[d] = b.anyExtent(op, o, d, rng)
	case pick < 25:
		b.nudge(o, d, rng)
	case pick < 37:
		b.restep(o, d, rng)
	case pick < 43:
		b.fill(s, op, d)
	default:
		b.shift(op, o, d, rng)
	}
}

// movePair changes what the two gradients have in common.
func (b *breeder) movePair(s *space.Schedule, op space.Op, rng *rand.Rand) {
	o, other := &s.Ops[op], &s.Ops[space.DX+space.DW-op]
	switch rng.Intn(4) {
	case 0:
		s.Shared = uint8(rng.Intn(int(space.NumDims) + 1))
		b.refill(s, op, rng)
	case 1:
		s.Burst = max(1, s.Burst)
		if rng.Intn(2) == 0 {
			s.Burst += 1 + int64(rng.Intn(2))*s.Burst
		} else {
			s.Burst = max(1, s.Burst/2)
		}
	case 2: // one dY region for both
		other.Hold[space.K] = o.Hold[space.K]
		other.Tile[space.M], other.Tile[space.N] = o.Tile[space.M], o.Tile[space.N]
		other.Cores = o.Cores
	case 3:
		other.Tile = o.Tile
	}
}

// shift makes one extent larger and another smaller by the same factor.
func (b *breeder) shift(op space.Op, o *space.OpSchedule, d space.Dim, rng *rand.Rand) {
	factor := 1 + rng.Float64()*rng.Float64()*3
	to := (d + 1 + space.Dim(rng.Intn(2))) % space.NumDims
	b.scale(op, o, d, 1/factor)
	b.scale(op, o, to, factor)
	for _, x := range [2]space.Dim{d, to} {
		if rng.Intn(2) == 0 {
			b.snap(o, x, space.CeilDiv(b.problem.Share(o, x), o.Tile[x]), rng)
		}
	}
}

// nudge moves an extent by a few elements.
func (b *breeder) nudge(o *space.OpSchedule, d space.Dim, rng *rand.Rand) {
	by := int64(1)
	for by < o.Tile[d] && rng.Intn(2) == 0 {
		by *= 2
	}
	by = 1 + rng.Int63n(by)
	if rng.Intn(2) == 0 {
		by = -by
	}
	o.Tile[d] += by
}

// restep draws an extent of as many steps, or of a few more or fewer.
func (b *breeder) restep(o *space.OpSchedule, d space.Dim, rng *rand.Rand) {
	steps := space.CeilDiv(b.problem.Share(o, d), o.Tile[d])
	if rng.Intn(2) == 0 {
		steps += int64(rng.Intn(5)) - 2
	}
	b.snap(o, d, max(steps, 1), rng)
}

// snap draws an extent of a number of steps: the smallest, any, or the
// smallest whose last tile is so small that the array needs one fold less.
func (b *breeder) snap(o *space.OpSchedule, d space.Dim, steps int64, rng *rand.Rand) {
	extent := b.problem.Share(o, d)
	steps = min(steps, extent)
	if steps == 1 {
		o.Tile[d] = extent
		return
	}
	low, high := space.CeilDiv(extent, steps), space.CeilDiv(extent, steps-1)-1
	t := low
	switch rng.Intn(3) {
	case 0:
		t = low + rng.Int63n(max(high-low+1, 1))
	case 1:
		periods := b.periods(d)
		period := periods[rng.Intn(len(periods))]
		most := min(low, extent-(steps-1)*low) / period // whole periods of the last tile
		if most > 0 {
			last := period * (1 + rng.Int63n(most))
			t = space.CeilDiv(extent-last, steps-1)
		}
	}
	o.Tile[d] = min(max(t, low), max(high, low))
}

// fill makes one extent as large as the SPM allows.
func (b *breeder) fill(s *space.Schedule, op space.Op, d space.Dim) {
	try := *s
	o := &try.Ops[op]
	low, high := int64(1), b.problem.Share(o, d)
	for low < high {
		o.Tile[d] = low + (high-low+1)/2
		b.settle(&try, op)
		if b.over(&try) > 0 {
			high = o.Tile[d] - 1
		} else {
			low = o.Tile[d]
		}
	}
	s.Ops[op].Tile[d] = low
}

// splitCores divides an operation's dimensions among the cores anew.
func (b *breeder) splitCores(o *space.OpSchedule, rng *rand.Rand) {
	o.Cores = [space.NumDims]uint16{}
	for left := b.cores; left > 1; {
		d := space.Dim(rng.Intn(int(space.NumDims)))
		parts := 1 + rng.Int63n(left)
		if o.Cores[d] > 1 || parts > b.problem.Dim(d) {
			return
		}
		o.Cores[d] = uint16(parts)
		left /= parts
	}
}

// refill now and then adapts the extents to a changed structure: the SPM that
// it needs may be far less than before, or more.
func (b *breeder) refill(s *space.Schedule, op space.Op, rng *rand.Rand) {
	if rng.Intn(2) == 0 {
		b.settle(s, op)
		b.shrink(s, rng)
		b.grow(s, op, rng)
	}
}

// grow makes extents larger, one at a time, until the SPM is full.
func (b *breeder) grow(s *space.Schedule, leader space.Op, rng *rand.Rand) {
	b.settle(s, leader)
	for misses := 0; misses < 4; {
		was := *s
		op := b.ops[rng.Intn(len(b.ops))]
		b.step(op, &s.Ops[op], space.Dim(rng.Intn(int(space.NumDims))), true, rng)
		b.settle(s, op)
		if *s == was || b.over(s) > 0 {
			*s = was
			misses++
		}
	}
}

// shrink makes extents smaller, or keeps less of a tensor, one at a time,
// until the schedule fits the SPM. Far from fitting it takes large steps.
func (b *breeder) shrink(s *space.Schedule, rng *rand.Rand) {
	over := b.over(s)
	for range 64 {
		if over <= 0 {
			return
		}
		was := *s
		op := b.ops[rng.Intn(len(b.ops))]
		o := &s.Ops[op]
		d := space.Dim(rng.Intn(int(space.NumDims)))
		switch {
		case rng.Intn(4) == 0 && o.Hold[d] < uint8(space.NumDims):
			o.Hold[d] = deeper(o.Order, d, o.Hold[d])
		case over > b.capacity/8:
			b.scale(op, o, d, float64(b.capacity)/float64(b.capacity+over))
		default:
			b.step(op, o, d, false, rng)
		}
		b.settle(s, op)
		if now := b.over(s); now < over {
			over = now
		} else {
			*s = was
		}
	}
}

// deeper returns the next hold level inside h for the operand that lacks d, h
// itself if there is none.
func deeper(o space.Order, d space.Dim, h uint8) uint8 {
	for next := h + 1; next <= uint8(space.NumDims); next++ {
		if o[next-1] != d {
			return next
		}
	}
	return h
}

// over returns the bytes by which a schedule exceeds the SPM.
func (b *breeder) over(s *space.Schedule) int64 {
	f := b.problem.Footprint(s)
	return f.Over(b.space.Constraints.ReservedSPMBytes)
}
