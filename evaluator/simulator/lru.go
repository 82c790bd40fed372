package simulator

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/space"
)

// TileOp is one tile operation of a sequence without a plan.
type TileOp struct {
	Op    space.Op
	Index [space.NumDims]int64 // of the tile along m, n and k
}

// ErrSequence is wrapped where a sequence leaves a tile operation out, names
// one that is none, or repeats one.
var ErrSequence = errors.New("not a sequence of the schedule's tile operations")

// LRUOptions adjust RunLRU; the zero value uses the whole SPM and the
// schedule's own sequence.
type LRUOptions struct {
	// Fraction of each SPM pool that serves as cache, up to 1; 0 means 1. Half
	// is what double buffering leaves.
	Fraction float64
	// Sequence yields every tile operation once; nil means the order in which
	// the schedule says they run.
	Sequence iter.Seq[TileOp]
}

// Alternating yields the operations of a backward schedule in turn, one tile
// operation of dx, one of dw, each gradient in its own loop order, whatever
// the schedule shares; what is left of the longer one follows. With orders
// (m, n, k) and (n, m, k) dx walks dY row by row and dw column by column: the
// IGO paper's plain interleaving.
func Alternating(p *space.Problem, s *space.Schedule) iter.Seq[TileOp] {
	return func(yield func(TileOp) bool) {
		var next []func() (TileOp, bool)
		for _, op := range s.Pass.Ops() {
			g := newGemm(p, s, op, false)
			n, stop := iter.Pull(g.sequence)
			defer stop()
			next = append(next, n)
		}
		for open := len(next); open > 0; {
			open = 0
			for _, n := range next {
				if t, ok := n(); ok {
					open++
					if !yield(t) {
						return
					}
				}
			}
		}
	}
}

// sequence yields the operation's tiles in its loop order.
func (g *gemm) sequence(yield func(TileOp) bool) {
	g.loops(0, 3, extents{}, func(at extents) bool { return yield(TileOp{g.op, at}) })
}

// RunLRU costs a sequence of tile operations for which nobody planned the SPM:
// it is a cache of tiles that drops the least recently used and writes results
// back when they are dropped or at the end. Of the schedule only tiles,
// dataflows and cores count, and loops for the default sequence.
//
// Stages are those of the cost model: beside operation i the DMA engine writes
// back what must go and loads what operation i+1 misses; tiles of both stay.
// Gradients share dY's tiles where their extents and cores agree. Slots are
// the most tiles of a region, SPMBytes the most bytes that were in the cache
// at once.
//
// It fails with space.ErrIllegal, ErrCapacity (two operations' tiles do not
// fit), ErrSequence, ErrTooLarge, ErrProblem or the context's error.
func (s *Simulator) RunLRU(ctx context.Context, p *space.Problem, sched *space.Schedule, o LRUOptions) (evaluator.Cost, error) {
	if err := s.accept(p, sched); err != nil {
		return evaluator.Cost{}, err
	}
	if o.Fraction < 0 || o.Fraction > 1 {
		return evaluator.Cost{}, fmt.Errorf("%w: cache of %g of the SPM, want more than 0 up to 1", ErrCapacity, o.Fraction)
	}
	l, err := newLRU(p, sched, o.Fraction)
	if err != nil {
		return evaluator.Cost{}, err
	}
	if o.Sequence == nil {
		o.Sequence = planned(p, sched)
	}
	n := 0
	for t := range o.Sequence {
		if n%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return evaluator.Cost{}, err
			}
		}
		n++
		if err := l.next(t); err != nil {
			return evaluator.Cost{}, err
		}
	}
	if err := l.end(); err != nil {
		return evaluator.Cost{}, err
	}
	finish(p, sched, &l.cost)
	return l.cost, nil
}

// planned yields the schedule's own sequence.
func planned(p *space.Problem, s *space.Schedule) iter.Seq[TileOp] {
	return func(yield func(TileOp) bool) {
		for _, r := range plan(p, s) {
			for st := range r.walk {
				if !yield(TileOp{r.gemms[st.gemm].op, st.index}) {
					return
				}
			}
		}
	}
}
