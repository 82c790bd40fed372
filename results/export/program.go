package export

import (
	"fmt"

	"github.com/npu-tune/npu-tune/space"
)

// program is a schedule as a loop nest with explicit moves, from which code is
// written. A tile is loaded where a stay of its block first uses it, and
// written where the stay last does (cost model section 3): both follow from
// the index of the loop that the tensor lacks.
type program struct {
	problem *space.Problem
	s       *space.Schedule
	ops     []operation
	burst   int64 // steps, where three loops are shared; else 0
	two     bool  // the gradients are two runs
}

// operation is one of the pass's GEMMs.
type operation struct {
	space.Op
	o        *space.OpSchedule
	tile     [space.NumDims]int64
	steps    [space.NumDims]int64
	share    [space.NumDims]int64
	operands [space.NumDims]operand // the inputs, then the output
}

// operand is a tensor that an operation touches.
type operand struct {
	space.Tensor
	lacks    space.Dim
	output   bool
	borrowed bool // the other gradient has loaded it
	reload   bool // it moves at every step of the dimension that it lacks
	use      space.Use
	name     string // of its region, as an identifier
	slot     string // which slot its tile is in, from the loops' indexes; empty: one after the other
}

// newProgram lays a schedule out; it must be legal.
func newProgram(p *space.Problem, s *space.Schedule) (*program, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if err := p.Legal(s); err != nil {
		return nil, err
	}
	g := &program{problem: p, s: s, burst: p.BurstSteps(s), two: p.TwoRuns(s)}
	f := p.Footprint(s)
	for _, op := range s.Pass.Ops() {
		o := &s.Ops[op]
		a := operation{Op: op, o: o, tile: p.Extents(o), steps: p.Steps(o)}
		for d := range space.NumDims {
			a.share[d] = p.Share(o, d)
		}
		for i, d := range [space.NumDims]space.Dim{op.Columns(), op.Rows(), op.Reduction()} {
			a.operands[i] = g.operand(&f, op, d)
		}
		g.ops = append(g.ops, a)
	}
	return g, nil
}

func (g *program) operand(f *space.Footprint, op space.Op, d space.Dim) operand {
	t := op.Tensor(d)
	x := operand{Tensor: t, lacks: d, output: d == op.Reduction(), reload: g.problem.Reloads(g.s, op, d) > 1}
	for _, u := range f.Uses() {
		if u.Ops[op] && u.Region.Tensor() == t {
			x.use = u
		}
	}
	x.borrowed = x.use.Region == space.DYRegion && op == space.DW
	x.name = t.String()
	if x.use.Region == space.DYOfDX || x.use.Region == space.DYOfDW && g.s.Pass == space.Backward {
		x.name += "_of_" + op.String()
	}
	x.slot = g.slot(op, d, &x)
	return x
}

// slot numbers the tiles of a block by the indexes of the loops inside its
// level.
func (g *program) slot(op space.Op, lacks space.Dim, x *operand) string {
	if x.use.Region == space.DYRegion {
		op = space.DX // both gradients find what this one has loaded
	}
	o := &g.s.Ops[op]
	level := int(o.Hold[lacks])
	steps := g.problem.Steps(o)
	if x.use.Region == space.DYRegion && level == 3 {
		if g.burst > 1 {
			return fmt.Sprintf("%s - %s_first", o.Order[2], o.Order[2])
		}
		return ""
	}
	expr := ""
	for _, d := range o.Order[level:] {
		switch {
		case d == lacks || steps[d] == 1:
		case expr == "":
			expr = d.String()
		default:
			expr = fmt.Sprintf("(%s) * %d + %s", expr, steps[d], d)
		}
	}
	return expr
}

// cores returns into how many parts the operation splits each dimension.
func (a *operation) cores() [space.NumDims]int64 {
	return [space.NumDims]int64{a.o.Parts(space.M), a.o.Parts(space.N), a.o.Parts(space.K)}
}

func (a *operation) out() *operand { return &a.operands[2] }

// splitReduction reports whether the cores' results are partial sums.
func (a *operation) splitReduction() bool { return a.o.Parts(a.Reduction()) > 1 }

// runs lists the operations that run together.
func (g *program) runs() [][]*operation {
	if g.two {
		return [][]*operation{{&g.ops[0]}, {&g.ops[1]}}
	}
	var all []*operation
	for i := range g.ops {
		all = append(all, &g.ops[i])
	}
	return [][]*operation{all}
}

// axes returns the tensor's two dimensions, rows and columns.
func axes(t space.Tensor) [2]space.Dim {
	switch t.Lacks() {
	case space.M:
		return [2]space.Dim{space.K, space.N}
	case space.N:
		return [2]space.Dim{space.M, space.K}
	}
	return [2]space.Dim{space.M, space.N}
}

// pixels reports whether the tensor moves as input pixels.
func (g *program) pixels(t space.Tensor) bool {
	return g.problem.Implicit() && t.Lacks() == space.N
}
