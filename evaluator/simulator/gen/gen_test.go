package gen_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/simulator"
	"github.com/npu-tune/npu-tune/evaluator/simulator/gen"
	"github.com/npu-tune/npu-tune/space"
)

// TestKinds draws many cases: each is legal and every kind occurs often.
func TestKinds(t *testing.T) {
	const n = 3000
	kinds := map[string]int{}
	count := func(name string, is bool) {
		if is {
			kinds[name]++
		} else {
			kinds[name] += 0
		}
	}
	for seed := range uint64(n) {
		p, s := gen.Case(gen.Seeded(seed), gen.Options{Limited: seed%2 == 0})
		if err := p.Check(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := p.HW.Validate(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := p.Legal(&s); err != nil {
			t.Fatalf("seed %d: %v\n%+v", seed, err, s)
		}
		results := make([]evaluator.Result, 1)
		if err := simulator.New().Evaluate(t.Context(), &p, []space.Schedule{s}, results); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		r := results[0]
		for pass := range space.NumPasses {
			count("pass "+pass.String(), s.Pass == pass)
		}
		if s.Pass == space.Backward {
			for shared := range uint8(4) {
				count("shared "+string(rune('0'+shared)), s.Shared == shared)
				count("one dY, shared "+string(rune('0'+shared)), s.Shared == shared && r.Cost.Slots[space.DYRegion] > 0)
			}
		}
		count("burst", s.Burst > 1)
		count("burst of one dY", s.Burst > 1 && r.Cost.Slots[space.DYRegion] > 0 && s.Ops[space.DX].Hold[space.K] == 3)
		count("convolution", p.Layer.Conv != nil)
		count("explicit im2col", p.Layer.Conv != nil && p.HW.ExplicitIm2col)
		count("batch", p.Layer.Batch > 1)
		count("cores", s.Ops[space.DX].CoreCount() > 1)
		count("reduction over cores", r.Cost.ReductionBytes > 0)
		count("several pools", p.HW.NPools > 1)
		count("infeasible", r.Status == evaluator.Infeasible)
		count("limited and fits", seed%2 == 0 && r.Status == evaluator.OK)
		count("partial sums", r.Cost.Traffic[space.GradX].Read+r.Cost.Traffic[space.GradW].Read+r.Cost.Traffic[space.Y].Read > 0)
	}
	for name, times := range kinds {
		if times < n/100 {
			t.Errorf("%s: %d of %d cases", name, times, n)
		}
	}
}

func TestSeedRepeats(t *testing.T) {
	p1, s1 := gen.Case(gen.Seeded(5), gen.Options{})
	p2, s2 := gen.Case(gen.Seeded(5), gen.Options{})
	if !p1.Layer.SameProblem(p2.Layer) || p1.HW != p2.HW || s1 != s2 {
		t.Error("one seed, two cases")
	}
}

// TestSimulatorAgreesWithItself lets rapid shrink what fails: the real SPM
// refuses nothing, numbers come out right, costs are the same.
func TestSimulatorAgreesWithItself(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		src := func(n int64) int64 { return rapid.Int64Range(0, n-1).Draw(rt, "choice") }
		p, s := gen.Case(src, gen.Options{MaxDim: 9, MaxOps: 200})
		results := make([]evaluator.Result, 1)
		if err := simulator.New().Evaluate(t.Context(), &p, []space.Schedule{s}, results); err != nil || results[0].Status != evaluator.OK {
			rt.Fatalf("%v %+v", err, results[0])
		}
		rep, err := simulator.New().Run(t.Context(), &p, &s, simulator.RunOptions{})
		if err != nil || rep.Cost != results[0].Cost {
			rt.Fatalf("run: %v, cost %+v, want %+v", err, rep.Cost, results[0].Cost)
		}
		if _, err := simulator.New().Replay(t.Context(), &p, &s, 1); err != nil {
			rt.Fatalf("replay: %v", err)
		}
	})
}
