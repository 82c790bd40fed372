package agree_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/evaluator/simulator/gen"
	"github.com/npu-tune/npu-tune/space"
)

// kinds tells what a schedule exercises.
func kinds(p *space.Problem, s *space.Schedule) map[string]bool {
	var c evaluator.Cost
	fits := analytic.New(p).Cost(s, &c)
	one := p.SharesDY(s)
	reads := c.Traffic[space.Y].Read + c.Traffic[space.GradX].Read + c.Traffic[space.GradW].Read
	cores := s.Ops[space.Fwd].CoreCount() > 1 || s.Ops[space.DW].CoreCount() > 1
	k := map[string]bool{
		"forward": s.Pass == space.Forward, "dw alone": s.Pass == space.DWOnly, "two runs": p.TwoRuns(s),
		"one dY": one, "one dY of bursts": one && s.Burst > 1 && s.Ops[space.DX].Hold[space.K] == 3,
		"bursts": s.Burst > 1, "partial sums read": reads > c.ReductionBytes, "batch": p.Layer.Batch > 1,
		"implicit convolution": p.Implicit(), "explicit convolution": p.Layer.Conv != nil && !p.Implicit(),
		"cores": cores, "multicast": cores && p.HW.Multicast && !p.HW.SharedSPM, "shared SPM": cores && p.HW.SharedSPM,
		"reduction over cores": c.ReductionBytes > 0, "several pools": p.HW.NPools > 1, "does not fit": !fits,
		"limited SPM, fits": fits && p.HW.SPMBytes() > 0, "ragged tiles": false,
	}
	for shared := range uint8(4) {
		k["shared "+string(rune('0'+shared))] = s.Pass == space.Backward && s.Shared == shared
	}
	for _, op := range s.Pass.Ops() {
		o := &s.Ops[op]
		for d, n := range p.Steps(o) {
			if n > 1 && p.Share(o, space.Dim(d))%p.Extents(o)[d] > 0 {
				k["ragged tiles"] = true
			}
		}
	}
	return k
}

// TestKinds counts what the random schedules are: no kind is rare.
func TestKinds(t *testing.T) {
	const n = 2000
	seen := map[string]int{}
	forEach(t, n, gen.Options{}, func(_ *rapid.T, p *space.Problem, s *space.Schedule) {
		for kind, is := range kinds(p, s) {
			if is {
				seen[kind]++
			}
		}
	})
	p, s := gen.Case(gen.Seeded(1), gen.Options{})
	for kind := range kinds(&p, &s) {
		if seen[kind] < n/400 {
			t.Errorf("%s: %d of %d schedules", kind, seen[kind], n)
		}
	}
	t.Log(seen)
}
