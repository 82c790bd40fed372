package agree_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/evaluator/bound"
	"github.com/npu-tune/npu-tune/evaluator/simulator/gen"
	"github.com/npu-tune/npu-tune/space"
)

// TestInvariants asserts what holds for every schedule.
func TestInvariants(t *testing.T) {
	forEach(t, count(t)/2, gen.Options{}, func(rt *rapid.T, p *space.Problem, s *space.Schedule) {
		model := analytic.New(p)
		var c evaluator.Cost
		fits := model.Cost(s, &c)
		sane(rt, p, s, &c)
		if fits { // the bounds speak of schedules that fit
			bounded(rt, p, &c)
			exact := *p
			for _, op := range s.Pass.Ops() {
				exact.HW.Cores = max(exact.HW.Cores, s.Ops[op].CoreCount())
			}
			bounded(rt, &exact, &c)
		}
		holdMore(rt, model, p, s, &c)
	})
}

// sane asserts utilization of at most 1 and figures that are neither negative
// nor contradict each other.
func sane(rt *rapid.T, p *space.Problem, s *space.Schedule, c *evaluator.Cost) {
	cores := int64(1)
	for _, op := range s.Pass.Ops() {
		cores = max(cores, s.Ops[op].CoreCount())
	}
	if used := float64(c.MACs) / (c.Cycles * float64(p.HW.Rows*p.HW.Cols*cores)); !(used > 0 && used <= 1) {
		rt.Fatalf("the array is used %v of the time", used)
	}
	if c.Cycles < float64(c.ComputeCycles) {
		rt.Fatalf("%v cycles, the array alone takes %d", c.Cycles, c.ComputeCycles)
	}
	var sum int64
	for t, x := range c.Traffic {
		if x.Read < 0 || x.Write < 0 {
			rt.Fatalf("%s moves %+v", space.Tensor(t), x)
		}
		sum += x.Read + x.Write
	}
	if sum != c.DRAMBytes || c.ReductionBytes < 0 || c.ReductionBytes > sum {
		rt.Fatalf("%d DRAM bytes, %d of them for reductions, tensors sum to %d", c.DRAMBytes, c.ReductionBytes, sum)
	}
	for _, x := range [...]int64{c.Ops, c.DRAMBytes, c.SPMBytes, c.ComputeCycles, c.MACs, c.SPMAccessBytes} {
		if x <= 0 || x >= 1<<62 {
			rt.Fatalf("figure %d in %+v", x, *c)
		}
	}
	if !(c.EnergyPJ > 0 && c.EnergyPJ < 1e300 && c.Cycles < 1e300) {
		rt.Fatalf("%v pJ, %v cycles", c.EnergyPJ, c.Cycles)
	}
	if f := p.Footprint(s); f.Slots() != c.Slots || f.SPMBytes() != c.SPMBytes {
		rt.Fatalf("the SPM's layout has slots %v in %d bytes, the cost %v in %d", f.Slots(), f.SPMBytes(), c.Slots, c.SPMBytes)
	}
}

// bounded asserts that the schedule does not beat what none can.
func bounded(rt *rapid.T, p *space.Problem, c *evaluator.Cost) {
	b := bound.For(p)
	for _, f := range []struct {
		name         string
		value, bound float64
	}{
		{"traffic and what is compulsory", float64(c.DRAMBytes), float64(b.CompulsoryBytes)},
		{"traffic", float64(c.DRAMBytes), float64(b.IOBytes)},
		{"cycles", c.Cycles, b.Cycles},
		{"array cycles", float64(c.ComputeCycles), float64(b.ComputeCycles)},
		{"energy", c.EnergyPJ, b.EnergyPJ},
		{"SPM bytes", float64(c.SPMBytes), float64(b.SPMBytes)},
	} {
		if f.value < f.bound*(1-1e-9) {
			rt.Fatalf("%s: %v is below the bound %v", f.name, f.value, f.bound)
		}
	}
	for t := range b.Compulsory {
		if g, w := c.Traffic[t], b.Compulsory[t]; g.Read < w.Read || g.Write < w.Write {
			rt.Fatalf("%s moves %+v, %+v is compulsory", space.Tensor(t), g, w)
		}
	}
}

// holdMore asserts that no tensor moves more if it is held one level further
// out. dY's merging is apart: where it changes, so does what is one region.
func holdMore(rt *rapid.T, model *analytic.Model, p *space.Problem, s *space.Schedule, c *evaluator.Cost) {
	try := func(what string, more space.Schedule) {
		if p.SharesDY(&more) != p.SharesDY(s) {
			return
		}
		if err := p.Legal(&more); err != nil {
			rt.Fatalf("%s: %v", what, err)
		}
		var d evaluator.Cost
		model.Cost(&more, &d)
		for t := range c.Traffic {
			if d.Traffic[t].Read > c.Traffic[t].Read || d.Traffic[t].Write > c.Traffic[t].Write {
				rt.Fatalf("%s raises traffic of %s from %+v to %+v", what, space.Tensor(t), c.Traffic[t], d.Traffic[t])
			}
		}
	}
	for _, op := range s.Pass.Ops() {
		for lacks := range space.NumDims {
			more := *s
			if further(&more.Ops[op], lacks) {
				try("holding more of "+op.Tensor(lacks).String(), more)
			}
		}
	}
	if p.SharesDY(s) {
		more := *s
		if further(&more.Ops[space.DX], space.K) && further(&more.Ops[space.DW], space.K) {
			try("holding more of the one dY", more)
		}
	}
}

// further moves an operand's hold level out to the next one that is canonical.
func further(o *space.OpSchedule, lacks space.Dim) bool {
	levels := space.HoldLevels(o.Order, lacks)
	for i, level := range levels {
		if level == o.Hold[lacks] && i > 0 {
			o.Hold[lacks] = levels[i-1]
			return true
		}
	}
	return false
}
