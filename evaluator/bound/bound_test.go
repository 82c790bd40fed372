package bound_test

import (
	"math"
	"testing"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/evaluator/bound"
	"github.com/npu-tune/npu-tune/evaluator/cases/golden"
	"github.com/npu-tune/npu-tune/evaluator/simulator/gen"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// figure is one figure of a schedule, or the least of all, and its bound.
type figure struct {
	name         string
	bound, value float64
}

func figures(b *bound.Bounds, c *evaluator.Cost) []figure {
	f := []figure{
		{"compulsory bytes", float64(b.CompulsoryBytes), float64(c.DRAMBytes)},
		{"I/O bytes", float64(b.IOBytes), float64(c.DRAMBytes)},
		{"array cycles", float64(b.ComputeCycles), float64(c.ComputeCycles)},
		{"cycles", b.Cycles, c.Cycles},
		{"MACs", float64(b.MACs), float64(c.MACs)},
		{"SPM access bytes", float64(b.SPMAccessBytes), float64(c.SPMAccessBytes)},
		{"energy", b.EnergyPJ, c.EnergyPJ},
		{"EDP", b.EDP(), c.EDP()},
		{"SPM bytes", float64(b.SPMBytes), float64(c.SPMBytes)},
	}
	for t := range space.NumTensors {
		f = append(f, figure{"reads of " + t.String(), float64(b.Compulsory[t].Read), float64(c.Traffic[t].Read)},
			figure{"writes of " + t.String(), float64(b.Compulsory[t].Write), float64(c.Traffic[t].Write)})
	}
	return f
}

// check reports figures below their bound; 1e-9 is the rounding of the value.
func check(t *testing.T, what string, p *space.Problem, all []figure) {
	t.Helper()
	for _, f := range all {
		if !(f.value >= f.bound*(1-1e-9)) {
			t.Errorf("%s: %s %v below the bound %v\n%+v\n%+v %+v", what, f.name, f.value, f.bound, p, p.Layer, p.Layer.Conv)
		}
	}
}

// TestOptima holds the bounds to the optima of 225 problems, found by
// enumeration: each figure's own optimum.
func TestOptima(t *testing.T) {
	all, err := golden.Optima()
	if err != nil {
		t.Fatal(err)
	}
	gaps := map[string][]float64{}
	for i := range all {
		o := &all[i]
		if o.Infeasible {
			continue
		}
		o.Problem.HW.Cores = 1
		b := bound.For(&o.Problem)
		list := []figure{
			{"compulsory bytes", float64(b.CompulsoryBytes), o.Min.DRAMBytes},
			{"I/O bytes", float64(b.IOBytes), o.Min.DRAMBytes},
			{"cycles", b.Cycles, o.Min.Cycles},
			{"energy", b.EnergyPJ, o.Min.EnergyPJ},
			{"EDP", b.EDP(), o.Min.EDP},
			{"SPM bytes", float64(b.SPMBytes), o.Min.SPMBytes},
		}
		check(t, "optimum", &o.Problem, list)
		for _, f := range list {
			gaps[f.name] = append(gaps[f.name], f.value/f.bound-1)
		}
	}
	for name, gap := range gaps {
		var sum, exact float64
		for _, g := range gap {
			sum += g
			if g < 1e-9 {
				exact++
			}
		}
		t.Logf("%s: optima are %.1f %% above the bound in the mean, %.0f of %d meet it", name, 100*sum/float64(len(gap)), exact, len(gap))
	}
}

// TestGoldenCases holds the bounds to 1000 cases of an independent program.
func TestGoldenCases(t *testing.T) {
	all, err := golden.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		c := &all[i]
		for _, cores := range coreCounts(&c.Schedule) {
			c.Problem.HW.Cores = cores
			b := bound.For(&c.Problem)
			check(t, "case", &c.Problem, figures(&b, c.Expect))
		}
	}
}

// coreCounts returns how many cores hardware can have that runs the schedule:
// any number (0), as many as it uses, or more.
func coreCounts(s *space.Schedule) []int64 {
	var n int64
	for _, op := range s.Pass.Ops() {
		n = max(n, s.Ops[op].CoreCount())
	}
	return []int64{0, n, n + 5}
}

// TestRandomSchedules holds the bounds to random schedules on one or more
// cores that fit an SPM exactly as large as they need, or unlimited.
func TestRandomSchedules(t *testing.T) {
	for seed := range uint64(10000) {
		p, s := gen.Case(gen.Seeded(seed), gen.Options{MaxDim: 40, Limited: seed%4 == 0, OneCore: seed%3 == 0})
		var c evaluator.Cost
		fits := analytic.New(&p).Cost(&s, &c)
		if !fits {
			p.HW.Pools = [hardware.NumRoles]hardware.Pool{}
		}
		for _, cores := range coreCounts(&s) {
			p.HW.Cores = cores
			b := bound.For(&p)
			check(t, "random", &p, figures(&b, &c))
			q := snug(p, &s)
			b = bound.For(&q)
			check(t, "snug", &q, figures(&b, &c))
		}
		if t.Failed() {
			t.Fatalf("seed %d: %+v", seed, s)
		}
	}
}

// snug returns the problem with SPM pools as large as the schedule needs.
func snug(p space.Problem, s *space.Schedule) space.Problem {
	f := p.Footprint(s)
	for i := range p.HW.NPools {
		need := f.PoolBytes(i)
		if p.HW.SharedSPM { // the capacity is per core
			n := s.Ops[s.Pass.Ops()[0]].CoreCount()
			if s.Pass == space.Backward {
				n = min(n, s.Ops[space.DW].CoreCount())
			}
			need = space.CeilDiv(need, n)
		}
		p.HW.Pools[i].Bytes = max(need, 1)
	}
	return p
}

// TestEverySchedule enumerates all schedules of tiny problems with little SPM.
func TestEverySchedule(t *testing.T) {
	for seed, done := uint64(0), 0; done < 40; seed++ {
		p, _ := gen.Case(gen.Seeded(seed), gen.Options{MaxDim: 4, OneCore: true})
		p.HW.Dataflows = [hardware.NumDataflows]bool{}
		p.HW.Dataflows[seed%3] = true
		volume := p.Layer.M * p.Layer.N * p.Layer.K
		if volume > 12 || p.Pass == space.Backward && volume > 2 {
			continue
		}
		done++
		p.HW.Cores, p.HW.NPools = 1, 1
		p.HW.PoolOf = [hardware.NumRoles]uint8{}
		smallest := p.MinSPMBytes()
		for _, spm := range []int64{smallest, smallest + smallest/3, 2 * smallest, 4 * smallest} {
			p.HW.UnifiedSPM(spm)
			enumerate(t, &p)
		}
	}
}

// enumerate checks the least of each figure over all schedules that fit.
func enumerate(t *testing.T, p *space.Problem) {
	t.Helper()
	model := analytic.New(p)
	var least, c evaluator.Cost
	edp, n := math.Inf(1), 0
	for s := range space.All(p) {
		if !model.Cost(&s, &c) {
			continue
		}
		if n++; n == 1 {
			least = c
		}
		least.DRAMBytes = min(least.DRAMBytes, c.DRAMBytes)
		least.ComputeCycles = min(least.ComputeCycles, c.ComputeCycles)
		least.Cycles = min(least.Cycles, c.Cycles)
		least.SPMAccessBytes = min(least.SPMAccessBytes, c.SPMAccessBytes)
		least.EnergyPJ = min(least.EnergyPJ, c.EnergyPJ)
		least.SPMBytes = min(least.SPMBytes, c.SPMBytes)
		for i := range least.Traffic {
			least.Traffic[i].Read = min(least.Traffic[i].Read, c.Traffic[i].Read)
			least.Traffic[i].Write = min(least.Traffic[i].Write, c.Traffic[i].Write)
		}
		edp = min(edp, c.EDP())
	}
	if n == 0 {
		t.Fatalf("nothing fits %d bytes of SPM", p.HW.SPMBytes())
	}
	b := bound.For(p)
	check(t, "enumerated", p, append(figures(&b, &least), figure{"least EDP", b.EDP(), edp}))
}

func TestExactWhereEverythingFits(t *testing.T) {
	p := &space.Problem{Layer: models.Layer{M: 64, N: 32, K: 16, Batch: 3}, Pass: space.Backward}
	p.HW = hardware.Params{Rows: 8, Cols: 8, BytesPerCycle: 4, BytesIn: 2, BytesOut: 2, BytesAcc: 4, Cores: 1}
	b := bound.For(p)
	// dY 64·32, W and dW 16·32, X and dX 64·16 elements of 2 bytes.
	want := int64(3 * 2 * (64*32 + 2*16*32 + 2*64*16))
	if b.CompulsoryBytes != want || b.IOBytes != want {
		t.Errorf("compulsory %d, I/O %d bytes, want %d", b.CompulsoryBytes, b.IOBytes, want)
	}
	p.HW.UnifiedSPM(128)
	if b := bound.For(p); b.IOBytes <= want || b.CompulsoryBytes != want {
		t.Errorf("with little SPM: compulsory %d, I/O %d bytes, want %d and more", b.CompulsoryBytes, b.IOBytes, want)
	}
}
