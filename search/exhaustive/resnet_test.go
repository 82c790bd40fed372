package exhaustive_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models/zoo"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/exhaustive"
	"github.com/npu-tune/npu-tune/space"
)

func TestTrace(t *testing.T) {
	m, err := zoo.Build("resnet50", zoo.Options{Batch: 4})
	if err != nil {
		t.Fatal(err)
	}
	npu, err := hardware.Preset("small")
	if err != nil {
		t.Fatal(err)
	}
	layers, _ := m.Distinct()
	var fwd, back, seq float64
	var total time.Duration
	for _, l := range layers {
		passes := []space.Pass{space.Forward, space.Backward}
		if l.NoInputGrad {
			passes[1] = space.DWOnly
		}
		for _, pass := range passes {
			p := &space.Problem{Layer: l, HW: npu.Params(), Pass: pass}
			start := time.Now()
			out, err := exhaustive.New().Search(t.Context(), &search.Request{Problem: p})
			if err != nil {
				t.Fatal(err)
			}
			took := time.Since(start)
			total += took
			v := out.Best().Cost.Cycles * float64(l.Count)
			if pass == space.Forward {
				fwd += v
			} else {
				back += v
				if pass == space.Backward {
					o2, _ := exhaustive.New().Search(t.Context(), &search.Request{Problem: p, Constraints: space.Constraints{Shared: 1, SeparateDY: true}})
					seq += o2.Best().Cost.Cycles * float64(l.Count)
				} else {
					seq += v
				}
			}
			fmt.Printf("\n"+"%-28s %-8s %8.1f ms  %v %12.0f shared %d  bounds %d evals %d cut %d", l.Name, pass, float64(took.Microseconds())/1000, out.Proven, out.Best().Cost.Cycles, out.Best().Schedule.Shared, out.Stats.Bounds, out.Stats.Evaluations, out.Stats.Cut)
		}
	}
	fmt.Printf("\n"+"forward %.0f backward %.0f sequential %.0f in %v", fwd, back, seq, total)
}
