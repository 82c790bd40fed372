package space

import (
	"fmt"
	"slices"
)

// Allows reports the first rule that a schedule breaks: of the problem (an
// illegal schedule) or of the constraints, nil if it belongs to the space.
// Whether it fits the SPM is another question.
func (sp *Space) Allows(s *Schedule) error {
	if err := sp.Problem.Legal(s); err != nil {
		return err
	}
	return sp.Constraints.Allow(&sp.Problem, s)
}

// Allow reports the first of the constraints that a legal schedule breaks.
func (c *Constraints) Allow(p *Problem, s *Schedule) error {
	if s.Pass == Backward && c.Shared != 0 && c.Shared&(1<<s.Shared) == 0 {
		return fmt.Errorf("%w: %d shared loops are not allowed", ErrIllegal, s.Shared)
	}
	if n := p.BurstSteps(s); c.MaxBurst > 0 && n > c.MaxBurst {
		return fmt.Errorf("%w: burst is %d, want at most %d", ErrIllegal, n, c.MaxBurst)
	}
	if err := c.allowShortBurst(p, s); err != nil {
		return err
	}
	if c.SeparateDY && s.Pass == Backward && p.SharesDY(s) {
		return fmt.Errorf("%w: dY is one region of both gradients, want one of each", ErrIllegal)
	}
	for _, op := range s.Pass.Ops() {
		if o := &s.Ops[op]; !c.AllowsPartition(o.Cores) {
			return fmt.Errorf("%w: %s.cores are %v, want one of %v", ErrIllegal, op, o.Cores, c.Partitions)
		}
		if err := c.Ops[op].allow(p, s, op); err != nil {
			return err
		}
	}
	return nil
}

// allowShortBurst reports a burst below the least.
func (c *Constraints) allowShortBurst(p *Problem, s *Schedule) error {
	n := p.BurstSteps(s)
	if n == 0 || n >= c.MinBurst {
		return nil
	}
	o := &s.Ops[DX]
	if want := min(c.MinBurst, p.Steps(o)[o.Order[2]]); n < want {
		return fmt.Errorf("%w: burst is %d, want at least %d", ErrIllegal, n, want)
	}
	return nil
}

func (c *OpConstraints) allow(p *Problem, s *Schedule, op Op) error {
	o := &s.Ops[op]
	if len(c.Orders) > 0 && !slices.Contains(c.Orders, o.Order) {
		return fmt.Errorf("%w: %s.order is %s, want one of %v", ErrIllegal, op, o.Order, c.Orders)
	}
	if len(c.Dataflows) > 0 && !slices.Contains(c.Dataflows, o.Dataflow) {
		return fmt.Errorf("%w: %s.dataflow is %s, want one of %v", ErrIllegal, op, o.Dataflow, c.Dataflows)
	}
	tile := p.Extents(o)
	for d := range NumDims {
		if c.Hold[d] != 0 && c.Hold[d]&(1<<o.Hold[d]) == 0 {
			return fmt.Errorf("%w: %s.hold.%s is %d, which is not allowed", ErrIllegal, op, op.Tensor(d), o.Hold[d])
		}
		if n := c.TileMultiple[d]; n > 0 && tile[d]%n != 0 && tile[d] != p.Share(o, d) {
			return fmt.Errorf("%w: %s.tile.%s is %d, want a multiple of %d or all %d", ErrIllegal, op, d, tile[d], n, p.Share(o, d))
		}
		if c.TileMax[d] > 0 && tile[d] > c.TileMax[d] {
			return fmt.Errorf("%w: %s.tile.%s is %d, want at most %d", ErrIllegal, op, d, tile[d], c.TileMax[d])
		}
	}
	r := op.Reduction()
	if c.NoPartialSums && (p.reloads(s, op, r) > 1 || o.Parts(r) > 1) {
		return fmt.Errorf("%w: %s moves partial sums of %s, which are forbidden", ErrIllegal, op, op.Output())
	}
	return nil
}
