package simulator

import (
	"context"
	"fmt"

	"github.com/npu-tune/npu-tune/space"
)

// replay carries the numbers of one batch through the SPM slots of each core.
type replay[T number] struct {
	problem *space.Problem
	in      inputs[T]
	out     [space.NumOps][]T // images for implicit dX
	pixels  *PixelCount

	// of the core that runs
	run    *run
	origin extents
	slots  [space.NumRegions][]*tileValues[T]
	dram   [space.NumTensors]map[tileID]*tileValues[T]
}

// PixelCount compares the pixels that tiles of a convolution really touch
// with the cost model's count, which knows no position: a tile that begins in
// the middle of a row or channel may touch more, one at the padding less.
type PixelCount struct{ Touched, Modelled int64 }

func newReplay[T number](p *space.Problem, in inputs[T], pixels *PixelCount) *replay[T] {
	r := &replay[T]{problem: p, in: in, pixels: pixels}
	if p.Layer.Conv != nil && !p.Implicit() {
		r.in.x = im2col(&p.Layer, in.x)
	}
	return r
}

// cores runs every core of every run, one after the other.
func (c *replay[T]) cores(ctx context.Context, runs []run) error {
	for i := range runs {
		r := &runs[i]
		v, err := r.findVisits(ctx)
		if err != nil {
			return err
		}
		areas := r.areas(v)
		parts := r.gemms[0].parts
		for core := range r.cores {
			part := extents{core / (parts[1] * parts[2]), core / parts[2] % parts[1], core % parts[2]}
			for d := range part {
				c.origin[d] = part[d] * r.gemms[0].share[d]
			}
			if err := c.core(ctx, r, v, areas); err != nil {
				return fmt.Errorf("core (%d, %d, %d): %w", part[0], part[1], part[2], err)
			}
		}
	}
	return nil
}

func (c *replay[T]) core(ctx context.Context, r *run, v *visits, areas []area) error {
	m := &machine{data: c}
	if err := m.begin(r, v, areas); err != nil {
		return err
	}
	if err := r.stages(ctx, v, m.stage); err != nil {
		return err
	}
	return m.end()
}

func (c *replay[T]) begin(r *run, areas []area) error {
	c.run = r
	c.dram = [space.NumTensors]map[tileID]*tileValues[T]{}
	c.slots = [space.NumRegions][]*tileValues[T]{}
	for _, a := range areas {
		c.slots[a.region] = make([]*tileValues[T], a.slots)
	}
	return nil
}

// load fills a slot from DRAM, or with zeros for sums that begin.
func (c *replay[T]) load(m move, slot int) error {
	g := &c.run.gemms[m.step.gemm]
	x := &g.operands[m.lacks]
	b := &c.slots[x.region][slot]
	if x.output && !m.fresh {
		*b = c.dram[x.tensor][idOf(x, m.step)].copyOf()
		return nil
	}
	*b = c.zeros(g, x, m.step)
	if !x.output {
		c.read(x.tensor, *b, c.place(g, m.step))
	}
	return nil
}

// place returns where the step's tile begins in the whole layer.
func (c *replay[T]) place(g *gemm, s step) extents {
	var o extents
	for d := range o {
		o[d] = c.origin[d] + s.index[d]*g.tile[d]
	}
	return o
}

// zeros makes the values of an operand's tile.
func (c *replay[T]) zeros(g *gemm, x *operand, s step) *tileValues[T] {
	origin, e := c.place(g, s), g.at(s.index)
	b := &tileValues[T]{}
	for d := range e {
		b.size[d] = max(0, min(e[d], c.problem.Dim(space.Dim(d))-origin[d]))
	}
	rows, columns := sides(x.tensor)
	b.stride[rows], b.stride[columns] = b.size[columns], 1
	if c.pixelwise(x.tensor) {
		w := window{c.problem.Layer.Conv}
		b.gather(w, w.channels(&c.problem.Layer), origin)
		c.pixels.Touched += int64(len(b.pixels))
		c.pixels.Modelled += elements(c.problem, x.tensor, e)
		return b
	}
	b.values = make([]T, b.size[rows]*b.size[columns])
	return b
}

// pixelwise reports whether the tensor's tiles are pixels.
func (c *replay[T]) pixelwise(t space.Tensor) bool {
	return (t == space.X || t == space.GradX) && c.problem.Implicit()
}

// read copies an input's values from DRAM.
func (c *replay[T]) read(t space.Tensor, b *tileValues[T], origin extents) {
	from := map[space.Tensor][]T{space.X: c.in.x, space.W: c.in.w, space.GradY: c.in.dy}[t]
	if b.place != nil {
		for i, px := range b.pixels {
			b.values[i] = from[px]
		}
		return
	}
	c.each(t, b, origin, func(i, whole int64) { b.values[i] = from[whole] })
}

// each visits the values of a tile with their places in the whole tensor.
func (c *replay[T]) each(t space.Tensor, b *tileValues[T], origin extents, visit func(i, whole int64)) {
	rows, columns := sides(t)
	for i := range b.size[rows] {
		for j := range b.size[columns] {
			visit(i*b.size[columns]+j, (origin[rows]+i)*c.problem.Dim(columns)+origin[columns]+j)
		}
	}
}

// operate multiplies two tiles and adds to the third, all in their slots.
func (c *replay[T]) operate(s step, slots [space.NumDims]int) error {
	g := &c.run.gemms[s.gemm]
	var tiles [space.NumDims]*tileValues[T]
	for lacks := range tiles {
		tiles[lacks] = c.slots[g.operands[lacks].region][slots[lacks]]
	}
	sum := g.op.Reduction()
	out, a, b := tiles[sum], tiles[(sum+1)%3], tiles[(sum+2)%3]
	// Each tile knows the two extents of its tensor.
	size := out.size
	size[sum] = a.size[sum]
	for m := range size[space.M] {
		for n := range size[space.N] {
			for k := range size[space.K] {
				out.add(m, n, k, a.get(m, n, k)*b.get(m, n, k))
			}
		}
	}
	return nil
}

// store copies a tile of sums to DRAM.
func (c *replay[T]) store(m move, slot int) error {
	x := &c.run.gemms[m.step.gemm].operands[m.lacks]
	if c.dram[x.tensor] == nil {
		c.dram[x.tensor] = map[tileID]*tileValues[T]{}
	}
	c.dram[x.tensor][idOf(x, m.step)] = c.slots[x.region][slot].copyOf()
	return nil
}

// end adds the core's complete tiles to the whole output. Cores that split the
// reduction sum here; so do pixels that several tiles touch.
func (c *replay[T]) end() error {
	for i := range c.run.gemms {
		g := &c.run.gemms[i]
		t := g.output().tensor
		if c.out[g.op] == nil {
			c.out[g.op] = make([]T, c.outputSize(t))
		}
		rows, columns := sides(t)
		var at step
		for at.index[rows] = range g.steps[rows] {
			for at.index[columns] = range g.steps[columns] {
				tile := c.dram[t][tileID{at.index[rows], at.index[columns]}]
				c.merge(c.out[g.op], t, tile, c.place(g, at))
			}
		}
	}
	return nil
}

// merge adds one tile to the whole output.
func (c *replay[T]) merge(out []T, t space.Tensor, b *tileValues[T], origin extents) {
	if b.place != nil {
		for i, px := range b.pixels {
			out[px] += b.values[i]
		}
		return
	}
	c.each(t, b, origin, func(i, whole int64) { out[whole] += b.values[i] })
}

func (c *replay[T]) outputSize(t space.Tensor) int64 {
	if c.pixelwise(t) {
		return inputSize(&c.problem.Layer)
	}
	rows, columns := sides(t)
	return c.problem.Dim(rows) * c.problem.Dim(columns)
}

// result returns an operation's output as reference computes it.
func (c *replay[T]) result(op space.Op) []T {
	if op == space.DX && c.problem.Layer.Conv != nil && !c.problem.Implicit() {
		return col2im(&c.problem.Layer, c.out[op])
	}
	return c.out[op]
}
