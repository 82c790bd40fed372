package genetic

import (
	"math/rand"
	randv2 "math/rand/v2"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/space"
)

// attempts is how often a change is tried anew that the constraints forbid.
const attempts = 8

// breeder makes and changes the schedules of one space. Schedules come in
// legal and go out legal; all but the drawn ones satisfy the constraints.
type breeder struct {
	space     *space.Space
	problem   *space.Problem
	ops       []space.Op
	dataflows []hardware.Dataflow
	cores     int64
	capacity  int64             // SPM bytes of one core
	extents   map[share][]int64 // candidate tile extents, rising
	drawing   *randv2.Rand      // of whole genomes
}

// share is one core's part of an operation's dimension.
type share struct {
	op     space.Op
	dim    space.Dim
	extent int64
}

func newBreeder(sp *space.Space, seed uint64) *breeder {
	p := &sp.Problem
	b := &breeder{
		space:    sp,
		problem:  p,
		ops:      p.Pass.Ops(),
		cores:    max(p.HW.Cores, 1),
		capacity: max(p.HW.SPMBytes(), 1),
		extents:  map[share][]int64{},
		drawing:  randv2.New(randv2.NewPCG(seed, 1)),
	}
	for d := range hardware.NumDataflows {
		if p.HW.HasDataflow(d) {
			b.dataflows = append(b.dataflows, d)
		}
	}
	return b
}

// mutate changes a schedule by one move, or by a few.
func (b *breeder) mutate(s *space.Schedule, rng *rand.Rand) {
	was := *s
	for range attempts {
		for more := true; more; more = rng.Float64() < 0.4 {
			b.move(s, rng)
		}
		if rng.Float64() < 0.8 {
			b.shrink(s, rng)
		}
		if b.allowed(s) {
			return
		}
		*s = was
	}
}

// cross takes parts of a mate into s.
func (b *breeder) cross(s, mate *space.Schedule, rng *rand.Rand) {
	was := *s
	for range attempts {
		leader := b.mix(s, mate, rng)
		b.settle(s, leader)
		if b.allowed(s) {
			return
		}
		*s = was
	}
}

// mix takes whole operations, or single properties of them, from a mate, and
// returns the operation that the other follows.
func (b *breeder) mix(s, mate *space.Schedule, rng *rand.Rand) space.Op {
	leader := b.ops[rng.Intn(len(b.ops))]
	whole := rng.Intn(2) == 0 && len(b.ops) > 1
	if whole && rng.Intn(2) == 0 && min(s.Shared, mate.Shared) == 0 { // two runs, that combine freely
		s.Shared = 0
	}
	for _, op := range b.ops {
		o, m := &s.Ops[op], &mate.Ops[op]
		switch {
		case whole:
			if op == leader {
				*o = *m
			}
			continue
		case rng.Intn(2) == 0: // the structure from the mate, the extents kept
			o.Order, o.Hold, o.Dataflow = m.Order, m.Hold, m.Dataflow
		}
		for d := range space.NumDims {
			if rng.Intn(2) == 0 {
				o.Tile[d] = m.Tile[d]
			}
		}
		if rng.Intn(2) == 0 {
			o.Cores = m.Cores
		}
	}
	if !whole && rng.Intn(2) == 0 {
		s.Shared, s.Burst = mate.Shared, mate.Burst
	}
	return leader
}

func (b *breeder) allowed(s *space.Schedule) bool { return b.space.Allows(s) == nil }

// random draws a schedule of the space, made to fit the SPM where the
// constraints let it.
func (b *breeder) random(rng *rand.Rand) space.Schedule {
	g := b.space.Random(b.drawing)
	drawn := b.space.Decode(&g)
	s := drawn
	b.shrink(&s, rng)
	if b.allowed(&s) {
		return s
	}
	return drawn
}

// settle makes a schedule legal after a change: shared loops agree with the
// leader's, hold levels are canonical.
func (b *breeder) settle(s *space.Schedule, leader space.Op) {
	if s.Pass == space.Backward {
		b.follow(s, leader)
	}
	for _, op := range b.ops {
		o := &s.Ops[op]
		for d := range space.NumDims {
			o.Tile[d] = min(max(o.Tile[d], 1), b.problem.Share(o, d))
			o.Hold[d] = canonicalLevel(o.Order, d, o.Hold[d])
		}
	}
	if s.Shared < uint8(space.NumDims) {
		s.Burst = 0
		return
	}
	s.Burst = b.problem.BurstSteps(s)
}

// follow gives the other gradient the leader's shared loops.
func (b *breeder) follow(s *space.Schedule, leader space.Op) {
	if s.Shared == 0 {
		return
	}
	lead, other := &s.Ops[leader], &s.Ops[space.DX+space.DW-leader]
	other.Cores = lead.Cores
	rest := other.Order
	other.Order = lead.Order
	at := int(s.Shared)
	for _, d := range rest {
		if lead.Order.Position(d) > int(s.Shared) {
			other.Order[at] = d
			at++
		} else {
			other.Tile[d] = lead.Tile[d]
		}
	}
}

// canonicalLevel returns the outermost level that means what h does for the
// operand that lacks d.
func canonicalLevel(o space.Order, d space.Dim, h uint8) uint8 {
	if h > 0 && o[h-1] == d {
		h--
	}
	return h
}
