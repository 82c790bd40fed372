package space

import (
	"errors"
	"fmt"
	"slices"

	"github.com/npu-tune/npu-tune/hardware"
)

// ErrEmpty is wrapped where constraints leave no schedule.
var ErrEmpty = errors.New("no schedule satisfies the constraints")

// Space is all schedules of a problem that satisfy some constraints, whether
// or not they fit the SPM. It is immutable and safe for concurrent use.
type Space struct {
	Problem     Problem
	Constraints Constraints

	structures []structure
	ops        [NumOps]opChoices
	splits     [][NumDims]uint16 // over the cores; of one core: zero
	// extents by first or second operation, or both where loops are shared;
	// by dimension and share.
	extents [3][NumDims]map[int64]*Extents
}

// structure is what the loops of a pass look like.
type structure struct {
	shared uint8
	orders [NumOps]uint8 // index into Orders
}

// opChoices are one operation's allowed values.
type opChoices struct {
	flows []hardware.Dataflow
	// holds are the levels by index of the order and by the dimension that the
	// operand lacks.
	holds [len(Orders)][NumDims][]uint8
	// splits are indexes into Space.splits.
	splits []uint16
}

// both indexes the extents that both operations allow.
const both = 2

// NewSpace prepares the space of a problem under constraints. The problem must
// pass its Check.
func NewSpace(p *Problem, c Constraints) (*Space, error) {
	sp := &Space{Problem: *p, Constraints: c}
	sp.listSplits()
	for i, op := range p.Pass.Ops() {
		sp.listChoices(op)
		sp.listExtents(i, c.Ops[op].TileMultiple, c.Ops[op].TileMax)
		if len(sp.ops[op].flows) == 0 {
			return nil, fmt.Errorf("%w: the array has none of %s's dataflows %v", ErrEmpty, op, c.Ops[op].Dataflows)
		}
	}
	if p.Pass == Backward {
		a, b := &c.Ops[DX], &c.Ops[DW]
		var multiple, most [NumDims]int64
		for d := range NumDims {
			multiple[d] = LCM(max(a.TileMultiple[d], 1), max(b.TileMultiple[d], 1))
			most[d] = min(orAny(a.TileMax[d]), orAny(b.TileMax[d]))
		}
		sp.listExtents(both, multiple, most)
	}
	sp.dropSplits()
	sp.listStructures()
	if len(sp.structures) == 0 {
		return nil, fmt.Errorf("%w of the %s pass: orders, holds, tile extents or shared loops exclude each other", ErrEmpty, p.Pass)
	}
	return sp, nil
}

func orAny(most int64) int64 {
	if most == 0 {
		return 1 << 40
	}
	return most
}

// listSplits lists the ways to split the layer over the cores, but those that
// leave a core without work.
func (sp *Space) listSplits() {
	p := &sp.Problem
	cores := max(p.HW.Cores, 1)
	parts := func(d Dim, most int64) []int64 {
		var list []int64
		for n := int64(1); n <= min(most, p.Dim(d), 1<<16-1); n++ {
			if CeilDiv(p.Dim(d), CeilDiv(p.Dim(d), n)) == n {
				list = append(list, n)
			}
		}
		return list
	}
	one := func(n int64) uint16 {
		if n == 1 {
			return 0
		}
		return uint16(n)
	}
	for _, m := range parts(M, cores) {
		for _, n := range parts(N, cores/m) {
			for _, k := range parts(K, cores/m/n) {
				if split := [NumDims]uint16{one(m), one(n), one(k)}; sp.Constraints.AllowsPartition(split) {
					sp.splits = append(sp.splits, split)
				}
			}
		}
	}
}

// listChoices lists dataflows and hold levels of an operation.
func (sp *Space) listChoices(op Op) {
	c, o := &sp.Constraints.Ops[op], &sp.ops[op]
	for d := range hardware.NumDataflows {
		if sp.Problem.HW.HasDataflow(d) && (len(c.Dataflows) == 0 || slices.Contains(c.Dataflows, d)) {
			o.flows = append(o.flows, d)
		}
	}
	for i, order := range Orders {
		for d := range NumDims {
			for _, h := range HoldLevels(order, d) {
				// Levels outside the reduction's loop never write partial sums.
				if c.NoPartialSums && d == op.Reduction() && int(h) >= order.Position(d) {
					continue
				}
				if c.Hold[d] == 0 || c.Hold[d]&(1<<h) != 0 {
					o.holds[i][d] = append(o.holds[i][d], h)
				}
			}
		}
	}
}

func (sp *Space) listExtents(which int, multiple, most [NumDims]int64) {
	p := &sp.Problem
	for d := range NumDims {
		sp.extents[which][d] = map[int64]*Extents{}
		for _, split := range sp.splits {
			share := CeilDiv(p.Dim(d), max(int64(split[d]), 1))
			if sp.extents[which][d][share] == nil {
				sp.extents[which][d][share] = newExtents(share, multiple[d], most[d], p.HW.Rows, p.HW.Cols)
			}
		}
	}
}

// dropSplits keeps of each operation the splits with which it has extents, and
// no partial sums where they are forbidden.
func (sp *Space) dropSplits() {
	for i, op := range sp.Problem.Pass.Ops() {
		for j, split := range sp.splits {
			ok := !sp.Constraints.Ops[op].NoPartialSums || split[op.Reduction()] <= 1
			for d := range NumDims {
				ok = ok && sp.extentsOf(i, d, split).Len() > 0
			}
			if ok {
				sp.ops[op].splits = append(sp.ops[op].splits, uint16(j))
			}
		}
	}
}

func (sp *Space) extentsOf(which int, d Dim, split [NumDims]uint16) *Extents {
	return sp.extents[which][d][CeilDiv(sp.Problem.Dim(d), max(int64(split[d]), 1))]
}

// listStructures lists the loop structures with which anything is possible.
func (sp *Space) listStructures() {
	if sp.Problem.Pass != Backward {
		op := sp.Problem.Pass.Ops()[0]
		for i := range Orders {
			if sp.allowsOrder(op, i) {
				s := structure{}
				s.orders[op] = uint8(i)
				sp.structures = append(sp.structures, s)
			}
		}
		return
	}
	for shared := range uint8(4) {
		if sp.Constraints.Shared != 0 && sp.Constraints.Shared&(1<<shared) == 0 {
			continue
		}
		for i := range Orders {
			for j := range Orders {
				s := structure{shared: shared}
				s.orders[DX], s.orders[DW] = uint8(i), uint8(j)
				if sp.allowsOrder(DX, i) && sp.allowsOrder(DW, j) &&
					slices.Equal(Orders[i][:shared], Orders[j][:shared]) && sp.pairs(&s) > 0 {
					sp.structures = append(sp.structures, s)
				}
			}
		}
	}
}

// allowsOrder reports whether the operation may have the order, with a level
// for every tensor.
func (sp *Space) allowsOrder(op Op, i int) bool {
	orders, holds := sp.Constraints.Ops[op].Orders, &sp.ops[op].holds[i]
	return (len(orders) == 0 || slices.Contains(orders, Orders[i])) && len(sp.ops[op].splits) > 0 &&
		len(holds[M])*len(holds[N])*len(holds[K]) > 0
}
