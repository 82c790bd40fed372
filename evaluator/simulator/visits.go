package simulator

import (
	"context"

	"github.com/npu-tune/npu-tune/space"
)

// marks say what happens to the three tiles of one operation: four bits per
// operand, at the position of the dimension that its tensor lacks.
type marks uint16

const (
	first    marks = 1 << iota // a visit begins: the tile enters the SPM
	last                       // a visit ends: the tile leaves the SPM
	fresh                      // the tile's first visit: sums start from zero
	complete                   // the tile's last visit: sums are complete
)

func (m marks) of(lacks int) marks { return m >> (4 * lacks) & 15 }

func (m *marks) set(lacks int, bits marks) { *m |= bits << (4 * lacks) }

// visits are all tiles' stays in the SPM, found by walking the sequence.
type visits struct {
	ops   []marks
	slots [space.NumRegions]int64
}

// tracker follows one region through the sequence.
type tracker struct {
	block    extents // indices of the loops outside the held block
	stay     int32   // number of the block stay, from 1
	inStay   int64   // tiles seen in this stay
	most     int64   // tiles of the fullest stay
	switchy  bool    // two operations next to each other use different tiles
	lastPos  int64   // previous operation on the region; -2: none
	lastTile int64
	lacks    int     // which operand of its operations the region holds
	stays    []int32 // per tile: the stay that it was last seen in; 0: never
	uses     []int32 // per tile: position of its last use
}

const checkEvery = 1 << 13 // operations between looks at the context

// findVisits walks the run once.
func (r *run) findVisits(ctx context.Context) (*visits, error) {
	v := &visits{ops: make([]marks, r.ops())}
	var trackers [space.NumRegions]*tracker
	var pos int64
	var err error
	for s := range r.walk {
		if pos%checkEvery == 0 {
			if err = ctx.Err(); err != nil {
				return nil, err
			}
		}
		g := &r.gemms[s.gemm]
		for lacks := range g.operands {
			x := &g.operands[lacks]
			t := trackers[x.region]
			if t == nil {
				t = newTracker(g.tiles(x), lacks)
				trackers[x.region] = t
			}
			t.use(v.ops, pos, g.tileOf(x, s.index), blockOf(g, x, s))
		}
		pos++
	}
	for region, t := range trackers {
		if t != nil {
			t.close(v.ops)
			v.slots[region] = t.slots()
		}
	}
	return v, nil
}

func newTracker(tiles int64, lacks int) *tracker {
	return &tracker{lastPos: -2, lacks: lacks, stays: make([]int32, tiles), uses: make([]int32, tiles)}
}

// blockOf returns the indices that tell the operand's block apart from others:
// those of the loops outside its hold level that belong to the tensor.
func blockOf(g *gemm, x *operand, s step) extents {
	a, b := sides(x.tensor)
	var key extents
	for level, d := range g.order[:x.hold] {
		if d == a || d == b {
			key[d] = s.index[d]
			if x.burstBlock && level == 2 {
				key[d] = s.burst
			}
		}
	}
	return key
}

// use notes that operation pos uses a tile of the region.
func (t *tracker) use(ops []marks, pos, tile int64, block extents) {
	if t.stay == 0 || block != t.block {
		t.stay++
		t.block, t.inStay = block, 0
	}
	if t.stays[tile] != t.stay {
		t.inStay++
		t.most = max(t.most, t.inStay)
		begin := first
		if t.stays[tile] == 0 {
			begin |= fresh
		} else {
			ops[t.uses[tile]].set(t.lacks, last)
		}
		ops[pos].set(t.lacks, begin)
		t.stays[tile] = t.stay
	}
	t.uses[tile] = int32(pos)
	if t.lastPos == pos-1 && t.lastTile != tile {
		t.switchy = true
	}
	t.lastPos, t.lastTile = pos, tile
}

// close ends every tile's last visit.
func (t *tracker) close(ops []marks) {
	for tile, pos := range t.uses {
		if t.stays[tile] > 0 {
			ops[pos].set(t.lacks, last|complete)
		}
	}
}

// slots returns how many tiles the region must hold (cost model section 3).
func (t *tracker) slots() int64 {
	if t.most == 1 && t.switchy {
		return 2
	}
	return t.most
}
