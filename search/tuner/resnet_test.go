package tuner

import (
	"testing"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models/zoo"
	"github.com/npu-tune/npu-tune/space"
	"github.com/npu-tune/npu-tune/space/handtuned"
)

// sums are over all layers, weighted by their counts.
type sums struct {
	cycles float64
	bytes  int64
}

func (s *sums) add(c *evaluator.Cost, count int64) {
	s.cycles += c.Cycles * float64(count)
	s.bytes += c.DRAMBytes * count
}

// TestResNet50 holds ResNet-50, batch 4, on small to what an independent
// program found: to the cycle, and DRAM traffic to a tenth of a megabyte.
func TestResNet50(t *testing.T) {
	if testing.Short() {
		t.Skip("about ten seconds of search")
	}
	model, err := zoo.Build("resnet50", zoo.Options{Batch: 4})
	if err != nil {
		t.Fatal(err)
	}
	small, err := hardware.Preset("small")
	if err != nil {
		t.Fatal(err)
	}
	r := mustTune(t, t.Context(), Plan{Model: model, HW: small.Params(), Baselines: true})
	if !r.Proven() || r.Interrupted {
		t.Errorf("proven %v, interrupted %v", r.Proven(), r.Interrupted)
	}
	const ours = "ours"
	got := map[bool]map[string]*sums{false: {}, true: {}} // by forward or not, by schedule
	add := func(j *Job, name string, c *evaluator.Cost) {
		group := got[j.Pass == space.Forward]
		if group[name] == nil {
			group[name] = &sums{}
		}
		group[name].add(c, j.Layer.Count)
	}
	for i := range r.Jobs {
		j := &r.Jobs[i]
		add(j, ours, &j.Best().Cost)
		for _, b := range j.Baselines {
			if b.Best == nil || !b.Proven {
				t.Fatalf("%s, %s: proven %v, %s", j.Name(), b.Name, b.Proven, b.Reason)
			}
			add(j, b.Name, &b.Best.Cost)
		}
	}
	for _, want := range []struct {
		forward   bool
		schedule  string
		cycles    int64
		megabytes float64
	}{
		{false, handtuned.Conventional, 32_561_437, 635.5},
		{false, handtuned.BestSequential, 23_885_423, 434.2},
		{false, ours, 21_351_549, 364.6},
		{true, handtuned.Conventional, 16_456_241, 0}, // its traffic is not known
		{true, handtuned.BestSequential, 12_152_242, 221.5},
		{true, ours, 12_152_242, 221.5},
	} {
		s := got[want.forward][want.schedule]
		if d := s.cycles - float64(want.cycles); d <= -0.5 || d >= 0.5 {
			t.Errorf("forward %v, %s: %.1f cycles, want %d", want.forward, want.schedule, s.cycles, want.cycles)
		}
		if mb := float64(s.bytes) / 1e6; want.megabytes > 0 && (mb < want.megabytes-0.05 || mb >= want.megabytes+0.05) {
			t.Errorf("forward %v, %s: %.2f MB, want %.1f", want.forward, want.schedule, mb, want.megabytes)
		}
	}
	back := got[false]
	if igo := back[handtuned.IGO].cycles; igo < back[ours].cycles || igo > back[handtuned.Tiled].cycles {
		t.Errorf("igo takes %.0f cycles, ours %.0f, tiled %.0f", igo, back[ours].cycles, back[handtuned.Tiled].cycles)
	}
}
