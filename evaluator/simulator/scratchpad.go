package simulator

import (
	"errors"
	"fmt"

	"github.com/npu-tune/npu-tune/space"
)

// What the SPM refuses, wrapped by a Fault.
var (
	ErrAbsent      = errors.New("tile is not in the SPM")
	ErrArriving    = errors.New("tile is still being loaded")
	ErrPresent     = errors.New("tile is in the SPM already")
	ErrLive        = errors.New("every slot holds a live tile")
	ErrInUse       = errors.New("the array uses the tile in this stage")
	ErrUnwritten   = errors.New("tile has results that are not written back")
	ErrSlotSize    = errors.New("tile is larger than its slot")
	ErrNoRegion    = errors.New("SPM has no such region")
	ErrNeverStored = errors.New("DRAM has no partial sums of the tile")
	ErrStoredTwice = errors.New("tile was complete in DRAM before")
)

// Fault is an access that the SPM or DRAM refuses: the schedule's plan is
// wrong. It wraps one of the errors above.
type Fault struct {
	Stage  int64 // the operation that the array runs; -1 before the first
	Region space.Region
	Tile   [2]int64 // tile indices along the tensor's rows and columns
	Err    error
}

// Error names stage, region and tile.
func (f *Fault) Error() string {
	return fmt.Sprintf("stage %d: region %v, tile (%d, %d): %v", f.Stage, f.Region, f.Tile[0], f.Tile[1], f.Err)
}

// Unwrap returns what was refused.
func (f *Fault) Unwrap() error { return f.Err }

// tileID is a tile's indices along its tensor's rows and columns.
type tileID = [2]int64

// scratchpad is one core's SPM: regions at byte offsets, each of equal slots.
type scratchpad struct {
	banks    [space.NumRegions]*bank
	occupied int64 // bytes of slots that hold a tile, replicas included
}

// bank is one region.
type bank struct {
	area
	slots []slot
	free  []int
	where map[tileID]int
}

// slot holds one tile.
type slot struct {
	tile    tileID
	full    bool
	arrived int64 // stage in which the tile came
	used    int64 // last stage in which the array used it
	dirty   bool
}

const never = int64(-2) // before every stage

// newScratchpad lays areas out; it refuses areas that overlap or end beyond
// their pool's capacity (0: unlimited).
func newScratchpad(areas []area, capacity []int64) (*scratchpad, error) {
	s := &scratchpad{}
	for i, a := range areas {
		if a.pool >= len(capacity) && len(capacity) > 0 {
			return nil, fmt.Errorf("%w: region %v lies in pool %d of %d", ErrCapacity, a.region, a.pool, len(capacity))
		}
		end := a.offset + a.bytes()
		if len(capacity) > 0 && capacity[a.pool] > 0 && end > capacity[a.pool] {
			return nil, fmt.Errorf("%w: region %v ends at byte %d, pool %d has %d", ErrCapacity, a.region, end, a.pool, capacity[a.pool])
		}
		for _, b := range areas[:i] {
			if a.pool == b.pool && a.offset < b.offset+b.bytes() && b.offset < end {
				return nil, fmt.Errorf("%w: regions %v and %v overlap", ErrCapacity, b.region, a.region)
			}
		}
		s.banks[a.region] = newBank(a)
	}
	return s, nil
}

func newBank(a area) *bank {
	b := &bank{area: a, slots: make([]slot, a.slots), where: map[tileID]int{}}
	for i := a.slots - 1; i >= 0; i-- {
		b.free = append(b.free, int(i))
	}
	return b
}

// load puts a tile into a free slot and returns the slot's number.
func (s *scratchpad) load(stage int64, region space.Region, tile tileID, bytes int64) (int, error) {
	refuse := func(err error) (int, error) { return 0, &Fault{stage, region, tile, err} }
	b := s.banks[region]
	if b == nil {
		return refuse(ErrNoRegion)
	}
	if _, ok := b.where[tile]; ok {
		return refuse(ErrPresent)
	}
	if bytes > b.slot {
		return refuse(fmt.Errorf("%w: %d bytes in %d", ErrSlotSize, bytes, b.slot))
	}
	if len(b.free) == 0 {
		return refuse(fmt.Errorf("%w: %d of %d", ErrLive, len(b.where), len(b.slots)))
	}
	i := b.free[len(b.free)-1]
	b.free = b.free[:len(b.free)-1]
	b.slots[i] = slot{tile: tile, full: true, arrived: stage, used: never}
	b.where[tile] = i
	s.occupied += b.slot * b.replicas
	return i, nil
}

// use lets the array read a tile, or add to it if write; it returns the slot.
func (s *scratchpad) use(stage int64, region space.Region, tile tileID, write bool) (int, error) {
	i, err := s.find(stage, region, tile)
	if err != nil {
		return 0, err
	}
	x := &s.banks[region].slots[i]
	if x.arrived >= stage {
		return 0, &Fault{stage, region, tile, ErrArriving}
	}
	x.used = stage
	x.dirty = x.dirty || write
	return i, nil
}

// writeBack notes that the DMA engine copies a tile to DRAM; it returns the
// slot, which stays full.
func (s *scratchpad) writeBack(stage int64, region space.Region, tile tileID) (int, error) {
	i, err := s.find(stage, region, tile)
	if err != nil {
		return 0, err
	}
	x := &s.banks[region].slots[i]
	if x.used == stage {
		return 0, &Fault{stage, region, tile, ErrInUse}
	}
	x.dirty = false
	return i, nil
}

// drop frees a tile's slot.
func (s *scratchpad) drop(stage int64, region space.Region, tile tileID) error {
	i, err := s.find(stage, region, tile)
	if err != nil {
		return err
	}
	b := s.banks[region]
	switch x := &b.slots[i]; {
	case x.used == stage:
		return &Fault{stage, region, tile, ErrInUse}
	case x.dirty:
		return &Fault{stage, region, tile, ErrUnwritten}
	}
	b.slots[i] = slot{}
	b.free = append(b.free, i)
	delete(b.where, tile)
	s.occupied -= b.slot * b.replicas
	return nil
}

func (s *scratchpad) find(stage int64, region space.Region, tile tileID) (int, error) {
	b := s.banks[region]
	if b == nil {
		return 0, &Fault{stage, region, tile, ErrNoRegion}
	}
	i, ok := b.where[tile]
	if !ok {
		return 0, &Fault{stage, region, tile, ErrAbsent}
	}
	return i, nil
}

// empty reports a tile that was left behind.
func (s *scratchpad) empty(stage int64) error {
	for r, b := range s.banks {
		if b == nil {
			continue
		}
		for i := range b.slots {
			if x := &b.slots[i]; x.dirty {
				return &Fault{stage, space.Region(r), x.tile, ErrUnwritten}
			} else if x.full {
				return &Fault{stage, space.Region(r), x.tile, ErrPresent}
			}
		}
	}
	return nil
}
