package simulator

import (
	"fmt"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/space"
)

// lru runs a sequence on a cache, one operation behind: an operation's stage
// is complete when the next one's loads are known.
type lru struct {
	run    run
	which  [space.NumOps]int // gemm of each operation; -1: none
	cache  *cache
	cost   evaluator.Cost
	access int64      // SPM bytes of one core
	seen   [][]uint64 // per gemm: bits of the tile operations that came
	done   [space.NumTensors]map[tileID]int64

	pins    [space.NumDims]*cached // tiles of the operation whose stage is open
	compute int64                  // its array cycles
}

func newLRU(p *space.Problem, s *space.Schedule, fraction float64) (*lru, error) {
	l := &lru{run: run{problem: p}, which: [space.NumOps]int{-1, -1, -1}}
	common := s.Pass == space.Backward && sameDYTiles(p, s)
	for i, op := range s.Pass.Ops() {
		g := newGemm(p, s, op, common)
		l.which[op] = i
		l.run.gemms = append(l.run.gemms, g)
		l.seen = append(l.seen, make([]uint64, (g.count()+63)/64))
		l.done[g.output().tensor] = map[tileID]int64{}
		l.run.cores = g.cores()
		if g.parts != l.run.gemms[0].parts {
			return nil, fmt.Errorf("%w: gradients in one sequence need the same cores, dx has %v and dw %v", space.ErrIllegal, l.run.gemms[0].parts, g.parts)
		}
	}
	capacity := l.run.capacities()
	if fraction > 0 {
		for i := range capacity {
			// A pool of 0 bytes is unlimited, so 1 is the least.
			if capacity[i] > 0 {
				capacity[i] = max(1, int64(float64(capacity[i])*fraction))
			}
		}
	}
	l.cache = newCache(capacity)
	return l, nil
}

// sameDYTiles reports whether both gradients cut dY alike.
func sameDYTiles(p *space.Problem, s *space.Schedule) bool {
	a, b := newTiling(p, &s.Ops[space.DX]), newTiling(p, &s.Ops[space.DW])
	return a.share == b.share && a.tile[space.M] == b.tile[space.M] && a.tile[space.N] == b.tile[space.N]
}

// next brings in the operation's tiles beside the previous operation.
func (l *lru) next(t TileOp) error {
	g, err := l.claim(t)
	if err != nil {
		return err
	}
	// What is there stays: a miss must not drop another operand's tile.
	var pins [space.NumDims]*cached
	for lacks := range g.operands {
		x := &g.operands[lacks]
		if c := l.cache.find(tileKey{x.region, idOf(x, step{index: t.Index})}); c != nil {
			c.pinned++
			pins[lacks] = c
		}
	}
	var st stage
	for lacks, c := range pins {
		if c != nil {
			continue
		}
		if pins[lacks], err = l.fetch(g, lacks, t.Index, &st); err != nil {
			return err
		}
		pins[lacks].pinned++
	}
	l.close(&st)
	l.operate(g, t, pins)
	return nil
}

// claim checks that the operation is one of the schedule's and new.
func (l *lru) claim(t TileOp) (*gemm, error) {
	if t.Op >= space.NumOps || l.which[t.Op] < 0 {
		return nil, fmt.Errorf("%w: %v is not in the pass", ErrSequence, t.Op)
	}
	i := l.which[t.Op]
	g := &l.run.gemms[i]
	var number int64
	for d, n := range g.steps {
		if t.Index[d] < 0 || t.Index[d] >= n {
			return nil, fmt.Errorf("%w: %v has tile %d along %v, want 0 to %d", ErrSequence, t.Op, t.Index[d], space.Dim(d), n-1)
		}
		number = number*n + t.Index[d]
	}
	word, bit := &l.seen[i][number/64], uint64(1)<<(number%64)
	if *word&bit != 0 {
		return nil, fmt.Errorf("%w: %v runs tile %v twice", ErrSequence, t.Op, t.Index)
	}
	*word |= bit
	return g, nil
}

// fetch brings an operand's tile in, sums that begin without a load.
func (l *lru) fetch(g *gemm, lacks int, index extents, st *stage) (*cached, error) {
	x := &g.operands[lacks]
	key := tileKey{x.region, idOf(x, step{index: index})}
	hw := &l.run.problem.HW
	n := elements(l.run.problem, x.tensor, g.at(index))
	c := &cached{key: key, pool: int(hw.PoolOf[roleOf(x.tensor)]), bytes: n * x.width, gemm: l.which[g.op], lacks: lacks, index: index}
	if hw.SharedSPM {
		c.bytes *= x.copies
	}
	if err := l.cache.insert(c, func(v *cached) { l.drop(v, st) }); err != nil {
		return nil, err
	}
	if !x.output || l.done[x.tensor][key.tile] > 0 {
		l.move(x, n*x.width, false, st)
	}
	return c, nil
}

// drop writes a dirty tile back.
func (l *lru) drop(c *cached, st *stage) {
	if !c.dirty {
		return
	}
	g := &l.run.gemms[c.gemm]
	x := &g.operands[c.lacks]
	width := l.run.problem.HW.BytesAcc
	if l.done[x.tensor][c.key.tile] == g.steps[c.lacks] && g.parts[c.lacks] == 1 {
		width = l.run.problem.HW.BytesOut
	}
	l.move(x, elements(l.run.problem, x.tensor, g.at(c.index))*width, true, st)
}

// move counts bytes of one core that cross the DRAM interface.
func (l *lru) move(x *operand, bytes int64, out bool, st *stage) {
	l.access += bytes
	if out {
		st.write += bytes * x.copies
		l.cost.Traffic[x.tensor].Write += bytes * x.copies
		return
	}
	st.read += bytes * x.copies
	l.cost.Traffic[x.tensor].Read += bytes * x.copies
}

// close ends the open stage with what the DMA engine did beside it.
func (l *lru) close(st *stage) {
	l.cost.Cycles += max(float64(l.compute), l.run.dma(st.read+st.write))
	for _, c := range l.pins {
		if c != nil {
			c.pinned--
		}
	}
	l.pins, l.compute = [space.NumDims]*cached{}, 0
}

// operate opens the operation's stage.
func (l *lru) operate(g *gemm, t TileOp, pins [space.NumDims]*cached) {
	hw := &l.run.problem.HW
	w := workOf(g.op, g.at(t.Index))
	l.pins, l.compute = pins, w.cycles(hw, g.dataflow)
	l.cost.Ops++
	l.cost.ComputeCycles += l.compute
	for lacks, c := range pins {
		if x := &g.operands[lacks]; x.output {
			l.access += w.spmBytes(hw, g.dataflow, l.done[x.tensor][c.key.tile] == 0)
			l.done[x.tensor][c.key.tile]++
			c.dirty = true
		}
	}
}

// end flushes the cache and sums over the cores.
func (l *lru) end() error {
	for i := range l.run.gemms {
		g := &l.run.gemms[i]
		x := g.output()
		var n int64
		for _, k := range l.done[x.tensor] {
			n += k
		}
		if n != g.count() {
			return fmt.Errorf("%w: %d operations of %v, want %d", ErrSequence, n, g.op, g.count())
		}
	}
	l.close(&stage{})
	var last stage
	l.cache.flush(func(c *cached) { l.drop(c, &last) })
	l.close(&last)
	l.cost.SPMAccessBytes += l.access * l.run.cores
	l.cost.SPMBytes = l.cache.peak
	l.cost.Slots = l.cache.most
	return l.run.addReductions(&l.cost, nil)
}
