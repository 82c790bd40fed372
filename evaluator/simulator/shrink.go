package simulator

import (
	"cmp"
	"math"
	"slices"

	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// Limits bound a shrunk problem; 0 means no bound.
type Limits struct {
	Ops  int64 // tile operations of one core
	MACs int64 // of one operation of the pass, all batches
}

// Shrink returns a smaller problem with a schedule of the same structure and
// at most maxOps tile operations. See ShrinkTo.
func Shrink(p space.Problem, s space.Schedule, maxOps int64) (space.Problem, space.Schedule) {
	return ShrinkTo(p, s, Limits{Ops: maxOps})
}

// ShrinkTo halves extents, and for MACs tiles too, until the limits hold or
// nothing can be halved without changing the structure. That is: orders, hold
// levels, shared loops, dataflows and cores; which loops have one, two, three
// or more steps; which last tiles, shares and bursts are smaller than the
// others; where the gradients' tiles agree; the window of a convolution, whose
// images, output and channels shrink. The result is legal if s is; whether the
// limits hold is for the caller to see, with Ops.
func ShrinkTo(p space.Problem, s space.Schedule, limit Limits) (space.Problem, space.Schedule) {
	sh := &shrinker{p: p, s: s}
	if p.Layer.Conv != nil {
		window := *p.Layer.Conv // the caller's stays as it is
		sh.p.Layer.Conv = &window
	}
	for limit.Ops > 0 && Ops(&sh.p, &sh.s) > limit.Ops {
		if !sh.smaller(sh.steps, false) {
			break
		}
	}
	for limit.MACs > 0 && sh.p.Layer.MACs() > limit.MACs {
		if sh.p.Layer.Batch > 2 {
			sh.p.Layer.Batch = (sh.p.Layer.Batch + 1) / 2
			continue
		}
		extent := func(d space.Dim) int64 { return sh.p.Dim(d) }
		if !sh.smaller(extent, true) && !sh.smaller(extent, false) {
			break
		}
	}
	return sh.p, sh.s
}

// Ops returns the tile operations that one core runs, math.MaxInt64 where they
// do not fit 64 bits.
func Ops(p *space.Problem, s *space.Schedule) int64 {
	var n float64
	for _, op := range s.Pass.Ops() {
		t := newTiling(p, &s.Ops[op])
		n += float64(t.steps[0]) * float64(t.steps[1]) * float64(t.steps[2])
	}
	if n >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(n)
}

// shrinker is a problem on its way down.
type shrinker struct {
	p space.Problem
	s space.Schedule
}

// steps returns the most steps of a dimension.
func (sh *shrinker) steps(d space.Dim) int64 {
	var n int64
	for _, op := range sh.s.Pass.Ops() {
		t := newTiling(&sh.p, &sh.s.Ops[op])
		n = max(n, t.steps[d])
	}
	return n
}

// smaller halves the dimension with the largest size that can be halved.
func (sh *shrinker) smaller(size func(space.Dim) int64, tiles bool) bool {
	dims := []space.Dim{space.M, space.N, space.K}
	slices.SortStableFunc(dims, func(a, b space.Dim) int { return cmp.Compare(size(b), size(a)) })
	for _, d := range dims {
		if size(d) < 2 {
			break
		}
		for _, layer := range sh.candidates(d) {
			if sh.try(d, layer, tiles) {
				return true
			}
		}
	}
	return false
}

// try replaces the layer by a candidate, with the tiles as they are or scaled,
// if the structure stays.
func (sh *shrinker) try(d space.Dim, layer models.Layer, tiles bool) bool {
	next := shrinker{p: sh.p, s: sh.s}
	next.p.Layer = layer
	before := sh.p.Dim(d)
	after := next.p.Dim(d)
	if after >= before {
		return false
	}
	for _, op := range sh.s.Pass.Ops() {
		o := &next.s.Ops[op]
		old := newTiling(&sh.p, &sh.s.Ops[op])
		shape := shapeOf(before, o.Parts(d), old.tile[d])
		tile := old.tile[d]
		if tiles || shape.steps == 1 {
			tile = shape.scaled(after, o.Parts(d), before, &old, d)
		}
		if tile == 0 || shapeOf(after, o.Parts(d), tile) != shape {
			return false
		}
		o.Tile[d] = tile
	}
	next.rebursted(sh)
	if next.p.Check() != nil || next.p.Legal(&next.s) != nil || !next.sameDY(sh) {
		return false
	}
	*sh = next
	return true
}

// sameDY reports whether dY is one region in both or neither.
func (sh *shrinker) sameDY(o *shrinker) bool {
	return sh.s.Pass != space.Backward || commonDY(&sh.p, &sh.s) == commonDY(&o.p, &o.s)
}

// manySteps is where the number of steps no longer matters: there is a first,
// a last, a next to last and one between.
const manySteps = 4

// shape is what must stay of one dimension of one operation.
type shape struct {
	steps      int64 // up to manySteps
	raggedTile bool  // the last tile is smaller
	raggedCore bool  // the last core's share is smaller
	one        bool  // tiles of one element
}

func shapeOf(whole, parts, tile int64) shape {
	share := (whole + parts - 1) / parts
	tile = min(tile, share)
	return shape{min((share+tile-1)/tile, manySteps), share%tile > 0, whole%parts > 0, tile == 1}
}

// scaled returns the tile nearest to the same fraction of the smaller extent
// that has the shape in no more steps, 0 if there is none.
func (s shape) scaled(after, parts, before int64, old *tiling, d space.Dim) int64 {
	share, tile := (after+parts-1)/parts, old.tile[d]
	if s.steps == 1 {
		return share
	}
	near := max(1, int64(math.Round(float64(tile)*float64(after)/float64(before))))
	for off := range min(share, 1<<12) {
		for _, t := range [2]int64{near - off, near + off} {
			if t >= 1 && t <= min(share, tile) && (share+t-1)/t <= old.steps[d] && shapeOf(after, parts, t) == s {
				return t
			}
		}
	}
	return 0
}

// rebursted fits the burst to the innermost loop's new number of steps.
func (sh *shrinker) rebursted(o *shrinker) {
	if sh.s.Shared != 3 {
		return
	}
	inner := sh.s.Ops[space.DX].Order[2]
	was, is := o.steps(inner), sh.steps(inner)
	burst := min(max(o.s.Burst, 1), was)
	want := burstShapeOf(was, burst)
	near := max(1, burst*is/was)
	for off := range is + 1 {
		for _, b := range [2]int64{near - off, near + off} {
			if b >= 1 && b <= max(is, 1) && burstShapeOf(is, b) == want {
				sh.s.Burst = b
				return
			}
		}
	}
	sh.s.Burst = min(burst, is)
}

// burstShape is what should stay of the bursts.
type burstShape struct {
	bursts     int64 // up to manySteps
	last       int64 // steps of a shorter last burst, up to 2; 0: it is no shorter
	oneStep    bool
	everything bool
}

func burstShapeOf(steps, burst int64) burstShape {
	burst = min(burst, steps)
	return burstShape{min((steps+burst-1)/burst, manySteps), min(steps%burst, 2), burst == 1, burst == steps}
}
