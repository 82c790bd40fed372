package simulator

import (
	"container/list"
	"fmt"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/space"
)

// tileKey names a tile of a region.
type tileKey struct {
	region space.Region
	tile   tileID
}

// cached is a tile in the cache.
type cached struct {
	key    tileKey
	pool   int
	bytes  int64 // in the SPM, replicas included
	gemm   int
	lacks  int
	index  extents // a step that uses the tile, for its extents
	dirty  bool
	pinned int // operations under way that use the tile
}

// cache is the SPM as a fully associative cache of whole tiles: the least
// recently used tile that no operation under way needs goes first.
type cache struct {
	capacity []int64 // bytes per pool, 0: unlimited; empty: all unlimited
	used     [hardware.NumRoles]int64
	entries  map[tileKey]*list.Element
	recent   [hardware.NumRoles]list.List // per pool, most recent in front
	count    [space.NumRegions]int64
	most     [space.NumRegions]int64 // tiles at once
	peak     int64                   // bytes at once, all pools
}

func newCache(capacity []int64) *cache {
	return &cache{capacity: capacity, entries: map[tileKey]*list.Element{}}
}

// find returns the tile and makes it the most recent; nil if it is not there.
func (c *cache) find(key tileKey) *cached {
	e := c.entries[key]
	if e == nil {
		return nil
	}
	t := e.Value.(*cached)
	c.recent[t.pool].MoveToFront(e)
	return t
}

// insert brings a tile in and returns through evict what had to go for it, the
// least recently used first. It fails if the pinned tiles leave no room.
func (c *cache) insert(t *cached, evict func(*cached)) error {
	for c.full(t) {
		victim := c.victim(t.pool)
		if victim == nil {
			return fmt.Errorf("%w: region %v needs %d bytes for tile (%d, %d) beside %d bytes of tiles in use, the cache has %d",
				ErrCapacity, t.key.region, t.bytes, t.key.tile[0], t.key.tile[1], c.used[t.pool], c.capacity[t.pool])
		}
		c.remove(victim)
		evict(victim.Value.(*cached))
	}
	c.entries[t.key] = c.recent[t.pool].PushFront(t)
	c.used[t.pool] += t.bytes
	c.count[t.key.region]++
	c.most[t.key.region] = max(c.most[t.key.region], c.count[t.key.region])
	var total int64
	for _, n := range c.used {
		total += n
	}
	c.peak = max(c.peak, total)
	return nil
}

func (c *cache) full(t *cached) bool {
	if len(c.capacity) == 0 || c.capacity[t.pool] == 0 {
		return false
	}
	return c.used[t.pool]+t.bytes > c.capacity[t.pool]
}

// victim returns the pool's least recently used tile that is not pinned.
func (c *cache) victim(pool int) *list.Element {
	for e := c.recent[pool].Back(); e != nil; e = e.Prev() {
		if e.Value.(*cached).pinned == 0 {
			return e
		}
	}
	return nil
}

func (c *cache) remove(e *list.Element) {
	t := e.Value.(*cached)
	c.recent[t.pool].Remove(e)
	delete(c.entries, t.key)
	c.used[t.pool] -= t.bytes
	c.count[t.key.region]--
}

// flush removes every tile, the least recently used of each pool first.
func (c *cache) flush(evict func(*cached)) {
	for pool := range c.recent {
		for e := c.recent[pool].Back(); e != nil; e = c.recent[pool].Back() {
			c.remove(e)
			evict(e.Value.(*cached))
		}
	}
}
