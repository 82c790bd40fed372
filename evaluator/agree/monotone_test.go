package agree_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/npu-tune/npu-tune/evaluator/bound"
	"github.com/npu-tune/npu-tune/evaluator/simulator/gen"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/exhaustive"
	"github.com/npu-tune/npu-tune/space"
)

// TestBetterHardware asserts that more bandwidth, more SPM or less DMA latency
// never makes a proven optimum worse, and that no optimum beats its bound.
func TestBetterHardware(t *testing.T) {
	problems := generator(gen.Options{MaxDim: 7, MaxOps: 100, OneCore: true})
	checks(t, 40, func(rt *rapid.T) {
		p := problems.Draw(rt, "problem").Problem
		p.HW.Cores = 1
		need := p.MinSPMBytes()
		p.HW.UnifiedSPM(need + rapid.Int64Range(0, 2*need).Draw(rt, "spare SPM bytes"))
		was := optima(t, rt, &p)
		better := func(what string, change func(*hardware.Params)) {
			q := p
			change(&q.HW)
			for o, now := range optima(t, rt, &q) {
				if now > was[o]*(1+1e-9) {
					rt.Fatalf("%s: the best %s is %v, was %v", what, search.Objective(o), now, was[o])
				}
			}
		}
		better("twice the bandwidth", func(hw *hardware.Params) { hw.BytesPerCycle *= 2 })
		better("a third more bandwidth", func(hw *hardware.Params) { hw.BytesPerCycle *= 4.0 / 3 })
		better("a byte more SPM", func(hw *hardware.Params) { hw.Pools[0].Bytes++ })
		better("half more SPM", func(hw *hardware.Params) { hw.Pools[0].Bytes += hw.Pools[0].Bytes / 2 })
		better("no DMA latency", func(hw *hardware.Params) { hw.DMALatency = 0 })
	})
}

// optima returns the proven optimum of latency, traffic and energy.
func optima(t *testing.T, rt *rapid.T, p *space.Problem) (least [3]float64) {
	b := bound.For(p)
	for o, floor := range [3]float64{search.Latency: b.Cycles, search.Traffic: float64(b.IOBytes), search.Energy: b.EnergyPJ} {
		out, err := exhaustive.New().Search(t.Context(), &search.Request{Problem: p, Objective: search.Objective(o)})
		if err != nil {
			rt.Fatal(err)
		}
		if !out.Proven || out.Best() == nil {
			rt.Fatalf("no proven optimum in %d bytes of SPM", p.HW.SPMBytes())
		}
		least[o] = search.Objective(o).Value(&out.Best().Cost)
		if least[o] < floor*(1-1e-9) {
			rt.Fatalf("the best %s is %v, below the bound %v", search.Objective(o), least[o], floor)
		}
	}
	return least
}
