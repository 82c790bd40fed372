package verify

import (
	"context"

	"github.com/npu-tune/npu-tune/evaluator/simulator"
	"github.com/npu-tune/npu-tune/space"
)

// shrinkBudget bounds the work of one shrinking, in tile operations and
// multiply-accumulates: some seconds.
const shrinkBudget = int64(1) << 28

// shrinker looks for the smallest problem on which a check fails in the same
// way.
type shrinker struct {
	p      space.Problem
	s      space.Schedule
	err    error // of the check
	fails  check
	budget int64
	shrunk bool
}

// shrink first shrinks all of the problem, then one extent at a time, until
// nothing with fewer multiply-accumulates, or fewer steps, fails or the budget
// is used up.
func (sh *shrinker) shrink(ctx context.Context) {
	for ops := int64(8); ops < simulator.Ops(&sh.p, &sh.s); ops *= 8 {
		q, t := simulator.ShrinkTo(sh.p, sh.s, simulator.Limits{Ops: ops, MACs: 64 * ops})
		if sh.try(ctx, q, t) {
			break
		}
	}
	for again := true; again && ctx.Err() == nil; {
		again = false
		for _, step := range steps {
			for sh.step(ctx, step) {
				again = true
			}
		}
	}
}

// step tries the proposals of a step until one still fails.
func (sh *shrinker) step(ctx context.Context, propose proposer) bool {
	found := false
	propose(&sh.p, &sh.s, func(q space.Problem, t space.Schedule) bool {
		found = sh.try(ctx, q, t)
		return found
	})
	return found
}

// try takes a smaller problem over if it is one and the check fails on it.
func (sh *shrinker) try(ctx context.Context, q space.Problem, t space.Schedule) bool {
	clip(&q, &t)
	if q.Check() != nil || q.Legal(&t) != nil || q.Layer == sh.p.Layer && q.HW == sh.p.HW && t == sh.s {
		return false
	}
	work := simulator.Ops(&q, &t)
	if work += q.Layer.MACs(); work > sh.budget || ctx.Err() != nil {
		return false
	}
	sh.budget -= work
	err := sh.fails(ctx, &q, &t)
	if err == nil || kindOf(err) != kindOf(sh.err) {
		return false
	}
	sh.p, sh.s, sh.err, sh.shrunk = q, t, err, true
	return true
}

// clip keeps tiles and bursts within what is there.
func clip(p *space.Problem, s *space.Schedule) {
	for _, op := range s.Pass.Ops() {
		o := &s.Ops[op]
		for d := range space.NumDims {
			o.Tile[d] = min(o.Tile[d], max(p.Share(o, d), 1))
		}
	}
}
