package bound_test

import (
	"math/rand/v2"
	"testing"

	"github.com/npu-tune/npu-tune/evaluator/bound"
	"github.com/npu-tune/npu-tune/evaluator/simulator/gen"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/exhaustive"
	"github.com/npu-tune/npu-tune/space"
)

// TestProvenOptima compares with proven optima of larger problems whose SPM is
// small against all tensors, where the bounds on I/O are more than compulsory
// traffic.
func TestProvenOptima(t *testing.T) {
	var sum [space.NumPasses]float64
	var n [space.NumPasses]int
	for seed := range uint64(problems) {
		p, _ := gen.Case(gen.Seeded(seed), gen.Options{MaxDim: 90, OneCore: true})
		rng := rand.New(rand.NewPCG(seed, 3))
		p.HW.Cores = 1
		p.HW.UnifiedSPM(p.MinSPMBytes() * (1 + rng.Int64N(40)))
		b := bound.For(&p)
		for o, floor := range map[search.Objective]float64{search.Traffic: float64(b.IOBytes), search.Latency: b.Cycles, search.Energy: b.EnergyPJ} {
			if o != search.Traffic && seed%4 > 0 {
				continue // for time
			}
			out, err := exhaustive.New().Search(t.Context(), &search.Request{Problem: &p, Objective: o})
			if err != nil || !out.Proven || out.Best() == nil {
				t.Fatalf("seed %d: %v, proven %v", seed, err, out.Proven)
			}
			best := o.Value(&out.Best().Cost)
			check(t, "optimum", &p, []figure{{o.String(), floor, best}})
			if o == search.Traffic && b.IOBytes > b.CompulsoryBytes {
				sum[p.Pass] += best/floor - 1
				n[p.Pass]++
			}
		}
	}
	for pass := range space.NumPasses {
		t.Logf("%s: the least traffic is %.1f %% above its bound in the mean of %d problems whose SPM matters",
			pass, 100*sum[pass]/float64(max(n[pass], 1)), n[pass])
	}
}

const problems = 120
