package simulator

import (
	"context"
	"errors"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/space"
)

// observer watches a simulation, run by run.
type observer interface {
	begin(r *run, v *visits, areas []area) error
	stage(st *stage) error     // not to be kept
	reduction(st *stage) error // sums the parts of an output over the cores
	end() error
}

// cost runs a legal schedule and adds everything up. fit says why the schedule
// does not fit the SPM, err that ctx ended or an observer refused.
func cost(ctx context.Context, p *space.Problem, s *space.Schedule, watch ...observer) (c evaluator.Cost, fit, err error) {
	runs := plan(p, s)
	for i := range runs {
		r := &runs[i]
		v, err := r.findVisits(ctx)
		if err != nil {
			return c, nil, err
		}
		areas := r.areas(v)
		addSPM(areas, &c)
		fit = errors.Join(fit, r.fits(areas))
		for _, o := range watch {
			if err := o.begin(r, v, areas); err != nil {
				return c, fit, err
			}
		}
		if err := r.addStages(ctx, v, &c, watch); err != nil {
			return c, fit, err
		}
		if err := r.addReductions(&c, watch); err != nil {
			return c, fit, err
		}
		for _, o := range watch {
			if err := o.end(); err != nil {
				return c, fit, err
			}
		}
	}
	finish(p, s, &c)
	return c, fit, nil
}

// addStages adds time, traffic and SPM accesses of the run, one batch.
func (r *run) addStages(ctx context.Context, v *visits, c *evaluator.Cost, watch []observer) error {
	var access int64 // of one core
	err := r.stages(ctx, v, func(st *stage) error {
		if st.operates {
			g := &r.gemms[st.step.gemm]
			c.Ops++
			c.ComputeCycles += st.compute
			access += workOf(g.op, g.at(st.step.index)).spmBytes(&r.problem.HW, g.dataflow, startsFromZero(g, v.ops[st.number]))
		}
		for _, m := range st.moves {
			x := &r.gemms[m.step.gemm].operands[m.lacks]
			access += m.bytes
			if m.out {
				c.Traffic[x.tensor].Write += m.bytes * x.copies
			} else {
				c.Traffic[x.tensor].Read += m.bytes * x.copies
			}
		}
		st.start = c.Cycles
		c.Cycles += st.cycles
		for _, o := range watch {
			if err := o.stage(st); err != nil {
				return err
			}
		}
		return nil
	})
	c.SPMAccessBytes += access * r.cores
	return err
}

// startsFromZero reports whether the operation is the first ever on its output
// tile.
func startsFromZero(g *gemm, m marks) bool {
	for lacks := range g.operands {
		if g.operands[lacks].output {
			return m.of(lacks)&(first|fresh) == first|fresh
		}
	}
	return false
}

// addReductions adds the stages that sum partial results of several cores.
func (r *run) addReductions(c *evaluator.Cost, watch []observer) error {
	for i := range r.gemms {
		t, read, write := r.reduction(&r.gemms[i])
		if read+write == 0 {
			continue
		}
		c.Traffic[t].Read += read
		c.Traffic[t].Write += write
		c.ReductionBytes += read + write
		c.SPMAccessBytes += read + write
		st := stage{step: step{gemm: i}, read: read, write: write, start: c.Cycles}
		st.cycles = r.dma(read + write)
		st.dma = st.cycles
		c.Cycles += st.cycles
		for _, o := range watch {
			if err := o.reduction(&st); err != nil {
				return err
			}
		}
	}
	return nil
}

// addSPM adds a run's regions; of two runs the larger need counts.
func addSPM(areas []area, c *evaluator.Cost) {
	var total int64
	for _, a := range areas {
		c.Slots[a.region] = a.slots
		total += a.bytes()
	}
	c.SPMBytes = max(c.SPMBytes, total)
}

// finish multiplies by the batch and derives totals.
func finish(p *space.Problem, s *space.Schedule, c *evaluator.Cost) {
	batch := max(p.Layer.Batch, 1)
	for t := range c.Traffic {
		c.Traffic[t].Read *= batch
		c.Traffic[t].Write *= batch
		c.DRAMBytes += c.Traffic[t].Read + c.Traffic[t].Write
	}
	c.ReductionBytes *= batch
	c.ComputeCycles *= batch
	c.SPMAccessBytes *= batch
	c.Cycles *= float64(batch)
	gemms := int64(1)
	if s.Pass == space.Backward {
		gemms = 2
	}
	c.MACs = p.Layer.M * p.Layer.N * p.Layer.K * batch * gemms
	e := &p.HW.Energy
	c.EnergyPJ = float64(c.MACs)*e.MACPJ + float64(c.SPMAccessBytes)*e.SPMPJPerByte +
		float64(c.DRAMBytes)*e.DRAMPJPerByte + c.Cycles*e.StaticPJPerCycle
}
