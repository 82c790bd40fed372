package exhaustive_test

import (
	"flag"
	"fmt"
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/evaluator/cases"
	"github.com/npu-tune/npu-tune/evaluator/simulator/gen"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/exhaustive"
	"github.com/npu-tune/npu-tune/space"
)

var (
	bruteTimes = flag.Uint64("bruteforce.times", 1, "random problems to enumerate, times the default")
	bruteFirst = flag.Uint64("bruteforce.seed", 0, "seed of the first random problem of each kind")
)

// kind is a set of random small problems.
type kind struct {
	name        string
	count       uint64
	passes      []space.Pass
	cores       bool    // two to four; else one
	constrained bool    // with random constraints
	most        float64 // schedules of a problem
	enumerate   func(*space.Problem, *space.Constraints) optimum
}

var (
	oneOp = []space.Pass{space.Forward, space.DWOnly}
	twoOp = []space.Pass{space.Backward}

	kinds = []kind{
		{name: "one operation", count: 200, passes: oneOp, most: 80e3, enumerate: enumerate},
		{name: "backward", count: 80, passes: twoOp, most: 150e3, enumerate: enumerate},
		{name: "backward, larger", count: 80, passes: twoOp, most: 1.2e6, enumerate: enumerateRuns},
		{name: "one operation, constraints", count: 100, passes: oneOp, constrained: true, most: 50e3, enumerate: enumerate},
		{name: "backward, constraints", count: 120, passes: twoOp, constrained: true, most: 60e3, enumerate: enumerate},
		{name: "one operation, cores", count: 60, passes: oneOp, cores: true, most: 100e3, enumerate: enumerate},
		{name: "backward, cores", count: 60, passes: twoOp, cores: true, most: 150e3, enumerate: enumerate},
		{name: "backward, cores, constraints", count: 60, passes: twoOp, cores: true, constrained: true, most: 60e3, enumerate: enumerate},
	}
)

// TestBruteForce holds the search to enumeration without pruning on random
// small problems, for every objective:
//
//	go test ./search/exhaustive -run BruteForce -bruteforce.times 20 -bruteforce.seed 1000000
func TestBruteForce(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			infeasible := 0
			n := k.count * *bruteTimes
			if testing.Short() {
				n = k.count / 10
			}
			for seed := range n {
				p, c := k.draw(*bruteFirst + seed)
				want := k.enumerate(&p, &c)
				if math.IsInf(want[search.Latency], 1) {
					infeasible++
				}
				for o := range search.NumObjectives {
					if err := holds(t, &p, &c, o, want[o]); err != nil {
						t.Fatalf("seed %d, %s: %v\nlayer %+v\nwindow %+v\nhardware %+v\nconstraints %+v",
							*bruteFirst+seed, o, err, p.Layer, p.Layer.Conv, p.HW, c)
					}
				}
			}
			t.Logf("%d problems, %d of them without a schedule that fits", n, infeasible)
		})
	}
}

// holds reports in what the search's answer differs from the optimum, +Inf
// where nothing fits.
func holds(t *testing.T, p *space.Problem, c *space.Constraints, o search.Objective, want float64) error {
	out, err := exhaustive.New().Search(t.Context(), &search.Request{Problem: p, Objective: o, Constraints: *c})
	if err != nil {
		return err
	}
	best := out.Best()
	switch {
	case !out.Proven:
		return fmt.Errorf("not proven")
	case best == nil && math.IsInf(want, 1):
		return nil
	case best == nil:
		return fmt.Errorf("nothing found, want %v", want)
	}
	if got := o.Value(&best.Cost); math.Abs(got-want) > 1e-9*want || math.IsInf(want, 1) {
		return fmt.Errorf("%v, want %v", got, want)
	}
	if err := p.Legal(&best.Schedule); err != nil {
		return err
	}
	f := p.Footprint(&best.Schedule)
	if err := f.Fits(c.ReservedSPMBytes); err != nil {
		return err
	}
	var cost evaluator.Cost
	analytic.New(p).Cost(&best.Schedule, &cost)
	if diff := cases.Diff(&best.Cost, &cost); diff != nil {
		return fmt.Errorf("the answer does not cost what it says: %v", diff)
	}
	return nil
}

// optimum is the least of each objective over schedules that fit; +Inf where
// none does.
type optimum [search.NumObjectives]float64

func nothing() optimum {
	inf := math.Inf(1)
	return optimum{inf, inf, inf, inf, inf}
}

func (least *optimum) see(c *evaluator.Cost) {
	for o := range search.NumObjectives {
		least[o] = min(least[o], o.Value(c))
	}
}

// enumerate costs every schedule that the constraints allow and returns the
// optimum.
func enumerate(p *space.Problem, c *space.Constraints) optimum {
	least := nothing()
	model := analytic.New(p)
	free := unrestricted(c)
	var cost evaluator.Cost
	for s := range every(p) {
		if !free && c.Allow(p, &s) != nil {
			continue
		}
		if !model.Cost(&s, &cost) {
			continue
		}
		if c.ReservedSPMBytes > 0 {
			if f := p.Footprint(&s); f.Over(c.ReservedSPMBytes) > 0 {
				continue
			}
		}
		least.see(&cost)
	}
	return least
}

func unrestricted(c *space.Constraints) bool {
	return c.Shared == 0 && c.MaxBurst == 0 && c.MinBurst == 0 && !c.SeparateDY && c.ReservedSPMBytes == 0 &&
		!slices.ContainsFunc(c.Ops[:], func(o space.OpConstraints) bool {
			return len(o.Orders) > 0 || len(o.Dataflows) > 0 || o.NoPartialSums ||
				o.Hold != [space.NumDims]uint8{} || o.TileMultiple != [space.NumDims]int64{} || o.TileMax != [space.NumDims]int64{}
		})
}

// every enumerates all schedules on up to the NPU's cores.
func every(p *space.Problem) iter.Seq[space.Schedule] {
	if p.HW.Cores <= 1 {
		return space.All(p)
	}
	return func(yield func(space.Schedule) bool) {
		first := p.Pass.Ops()[0]
		for _, a := range onCores(p, first) {
			s := space.Schedule{Pass: p.Pass}
			s.Ops[first] = a
			if p.Pass != space.Backward {
				if !yield(s) {
					return
				}
				continue
			}
			for _, b := range onCores(p, space.DW) {
				s.Ops[space.DW] = b
				if !alternations(p, s, 0, yield) {
					return
				}
			}
		}
	}
}

// onCores lists every way to run one operation on up to the NPU's cores.
func onCores(p *space.Problem, op space.Op) []space.OpSchedule {
	var list []space.OpSchedule
	for _, parts := range partitions(p) {
		core := *p
		core.Layer.M = space.CeilDiv(p.Layer.M, int64(parts[space.M]))
		core.Layer.N = space.CeilDiv(p.Layer.N, int64(parts[space.N]))
		core.Layer.K = space.CeilDiv(p.Layer.K, int64(parts[space.K]))
		for o := range space.AllOps(&core, op) {
			o.Cores = parts
			list = append(list, o)
		}
	}
	return list
}

func partitions(p *space.Problem) [][space.NumDims]uint16 {
	var list [][space.NumDims]uint16
	most := max(p.HW.Cores, 1)
	for m := int64(1); m <= min(most, p.Layer.M); m++ {
		for n := int64(1); m*n <= most && n <= p.Layer.N; n++ {
			for k := int64(1); m*n*k <= most && k <= p.Layer.K; k++ {
				list = append(list, [space.NumDims]uint16{uint16(m), uint16(n), uint16(k)})
			}
		}
	}
	return list
}

// alternations enumerates how two gradients can alternate, from a number of
// shared loops that they can have.
func alternations(p *space.Problem, s space.Schedule, shared uint8, yield func(space.Schedule) bool) bool {
	a, b := &s.Ops[space.DX], &s.Ops[space.DW]
	for s.Shared = shared; s.Shared < 3; s.Shared++ {
		if !yield(s) {
			return false
		}
		if d := a.Order[s.Shared]; a.Cores != b.Cores || d != b.Order[s.Shared] || a.Tile[d] != b.Tile[d] {
			return true
		}
	}
	for s.Burst = 1; s.Burst <= p.Steps(a)[a.Order[2]]; s.Burst++ {
		if !yield(s) {
			return false
		}
	}
	return true
}

// draw draws a problem with few enough schedules, and constraints.
func (k kind) draw(seed uint64) (space.Problem, space.Constraints) {
	src := gen.Seeded(seed)
	for {
		options := gen.Options{MaxDim: []int64{12, 5, 3, 2}[src(4)], MaxOps: 1, OneCore: !k.cores, Limited: true}
		if !k.cores && k.passes[0] != space.Backward {
			options.MaxDim = 12
		}
		p, _ := gen.Case(src, options)
		p.Pass = k.passes[src(int64(len(k.passes)))]
		if k.cores {
			p.HW.Cores = 2 + src(3)
		}
		if p.Pass == space.Backward && src(2) == 0 { // fewer dataflows: larger layers
			p.HW.Dataflows = [hardware.NumDataflows]bool{}
			p.HW.Dataflows[src(int64(hardware.NumDataflows))] = true
		}
		if n := size(&p); max(p.Layer.M, p.Layer.N, p.Layer.K) > 12 || n > k.most || n < k.most/300 {
			continue
		}
		if k.constrained {
			return p, drawConstraints(src, &p)
		}
		return p, space.Constraints{}
	}
}

// size counts schedules, about.
func size(p *space.Problem) float64 {
	flows, tiles := 0.0, 0.0
	for f := range hardware.NumDataflows {
		if p.HW.HasDataflow(f) {
			flows++
		}
	}
	for _, parts := range partitions(p) {
		share := 1.0
		for d := range space.NumDims {
			share *= float64(space.CeilDiv(p.Dim(d), int64(parts[d])))
		}
		tiles += share
	}
	const ordersAndHolds = 6 * 27
	return math.Pow(ordersAndHolds*tiles*flows, float64(len(p.Pass.Ops())))
}

// drawConstraints draws about a third of all possible rules.
func drawConstraints(src gen.Source, p *space.Problem) space.Constraints {
	var c space.Constraints
	rarely := func() bool { return src(3) == 2 }
	if p.Pass == space.Backward {
		if rarely() {
			c.Shared = uint8(1 + src(15))
		}
		if rarely() {
			c.MaxBurst = 1 + src(3)
		}
		if rarely() {
			c.MinBurst = 1 + src(3)
		}
		if rarely() { // two runs: the only sense that it makes
			c.SeparateDY, c.Shared = true, 1
		}
	}
	if rarely() && p.HW.Pools[0].Bytes > 1 {
		c.ReservedSPMBytes = 1 + src(p.HW.Pools[0].Bytes/2)
	}
	for _, op := range p.Pass.Ops() {
		o := &c.Ops[op]
		if rarely() {
			for range 1 + src(4) {
				o.Orders = append(o.Orders, space.Orders[src(6)])
			}
			o.Orders = compact(o.Orders)
		}
		if rarely() {
			o.Dataflows = slices.DeleteFunc(compact([]hardware.Dataflow{hardware.Dataflow(src(3)), hardware.Dataflow(src(3))}),
				func(f hardware.Dataflow) bool { return !p.HW.HasDataflow(f) })
		}
		for d := range space.NumDims {
			if rarely() {
				o.Hold[d] = uint8(1 + src(15))
			}
			if rarely() {
				o.TileMultiple[d] = 1 + src(3)
			}
			if rarely() {
				o.TileMax[d] = 1 + src(p.Dim(d))
			}
		}
		o.NoPartialSums = rarely()
	}
	return c
}

// compact keeps the first of equal values.
func compact[T comparable](list []T) []T {
	var kept []T
	for _, v := range list {
		if !slices.Contains(kept, v) {
			kept = append(kept, v)
		}
	}
	return kept
}
