package simulator

import (
	"context"

	"github.com/npu-tune/npu-tune/space"
)

// move is one tile that crosses the DRAM interface, or only enters or leaves
// the SPM (bytes 0).
type move struct {
	step    step
	lacks   int // which operand of the step
	out     bool
	bytes   int64 // of one core
	fresh   bool  // into the SPM: sums start from zero, nothing is loaded
	partial bool  // partial sums, not a complete tensor
	final   bool  // out of the SPM for the last time
}

// stage is one lockstep of DMA engine and array: moves out, then moves in,
// beside one tile operation.
type stage struct {
	number   int64 // -1: only loads; n: only writes
	operates bool  // 0 ≤ number < n: the array runs step
	step     step
	compute  int64 // array cycles
	moves    []move
	read     int64   // bytes over the DRAM interface, all cores
	write    int64   // bytes over the DRAM interface, all cores
	dma      float64 // cycles
	start    float64 // cycles since the schedule began
	cycles   float64
}

// stages walks the run and hands each stage to see, which must not keep it.
func (r *run) stages(ctx context.Context, v *visits, see func(*stage) error) error {
	var st stage
	var before, now step
	n := int64(-1) // stage whose loads come next
	for next := range r.walk {
		if n%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if err := r.stage(&st, v, n, before, now, &next, see); err != nil {
			return err
		}
		before, now = now, next
		n++
	}
	if err := r.stage(&st, v, n, before, now, nil, see); err != nil {
		return err
	}
	return r.stage(&st, v, n+1, now, step{}, nil, see)
}

func (r *run) stage(st *stage, v *visits, n int64, before, now step, next *step, see func(*stage) error) error {
	*st = stage{number: n, step: now, moves: st.moves[:0]}
	if n >= 1 {
		r.moves(st, before, v.ops[n-1], true)
	}
	if next != nil {
		r.moves(st, *next, v.ops[n+1], false)
	}
	if n >= 0 && n < int64(len(v.ops)) {
		st.operates = true
		g := &r.gemms[now.gemm]
		st.compute = workOf(g.op, g.at(now.index)).cycles(&r.problem.HW, g.dataflow)
	}
	st.dma = r.dma(st.read + st.write)
	st.cycles = max(float64(st.compute), st.dma)
	return see(st)
}

// dma returns the cycles in which the DMA engine moves the bytes of one stage.
func (r *run) dma(bytes int64) float64 {
	if bytes == 0 {
		return 0
	}
	return float64(r.problem.HW.DMALatency) + float64(bytes)/r.problem.HW.BytesPerCycle
}

// moves adds to the stage what enters before or leaves after operation s.
func (r *run) moves(st *stage, s step, m marks, out bool) {
	g := &r.gemms[s.gemm]
	for lacks := range g.operands {
		bits := m.of(lacks)
		if out && bits&last == 0 || !out && bits&first == 0 {
			continue
		}
		x := &g.operands[lacks]
		mv := move{step: s, lacks: lacks, out: out}
		mv.bytes, mv.partial = r.moved(g, x, s, bits, out)
		mv.final = out && bits&complete != 0
		mv.fresh = x.output && !out && bits&fresh != 0
		if out {
			st.write += mv.bytes * x.copies
		} else {
			st.read += mv.bytes * x.copies
		}
		st.moves = append(st.moves, mv)
	}
}

// moved returns the bytes that one core moves when a tile enters or leaves,
// and whether they are partial sums.
func (r *run) moved(g *gemm, x *operand, s step, bits marks, out bool) (bytes int64, partial bool) {
	hw := &r.problem.HW
	n := elements(r.problem, x.tensor, g.at(s.index))
	switch {
	case !x.output && out:
		return 0, false // an unchanged input is dropped
	case !x.output:
		return n * hw.BytesIn, false
	case !out && bits&fresh != 0:
		return 0, false
	case !out, bits&complete == 0, g.reductionParts() > 1:
		return n * hw.BytesAcc, true
	default:
		return n * hw.BytesOut, false
	}
}

// reduction returns the bytes that sum an output's parts over the cores, read
// and written: zero where its sum is not split.
func (r *run) reduction(g *gemm) (t space.Tensor, read, write int64) {
	p := g.reductionParts()
	t = g.output().tensor
	if p < 2 {
		return t, 0, 0
	}
	var whole extents
	for d := range space.NumDims {
		whole[d] = r.problem.Dim(d)
	}
	n := elements(r.problem, t, whole)
	return t, p * n * r.problem.HW.BytesAcc, n * r.problem.HW.BytesOut
}
