package tuner

import (
	"context"
	"testing"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
)

// npu is an array of 4 × 4 PEs with 2 KiB of SPM.
func npu() hardware.Params {
	hw := hardware.Params{
		Rows: 4, Cols: 4, Pipelined: true, BytesPerCycle: 4, DMALatency: 10,
		BytesIn: 2, BytesOut: 2, BytesAcc: 4, Cores: 1,
		Energy: hardware.Energy{MACPJ: 1, SPMPJPerByte: 1, DRAMPJPerByte: 20},
	}
	hw.UnifiedSPM(2 << 10)
	return hw
}

// network has six layers, of which two are equal, and a first one without
// input gradient that is otherwise equal to another.
func network() models.Model {
	return models.Model{Name: "tiny", Layers: []models.Layer{
		{Name: "first", M: 24, N: 16, K: 12, NoInputGrad: true},
		{Name: "second", M: 24, N: 16, K: 12},
		{Name: "third", M: 30, N: 20, K: 40},
		{Name: "fourth", M: 24, N: 16, K: 12, Count: 3},
		{Name: "conv", M: 36, N: 8, K: 18, Conv: &models.Conv{H: 6, W: 6, P: 6, Q: 6, R: 3, S: 3, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1}},
		{Name: "last", M: 2, N: 50, K: 64, Batch: 2},
	}}
}

func TestTuneProvesATinyNetwork(t *testing.T) {
	r, err := Tune(context.Background(), Plan{Model: network(), HW: npu(), Baselines: true})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Proven() || r.Interrupted {
		t.Errorf("proven %v, interrupted %v; want a proof of every job", r.Proven(), r.Interrupted)
	}
	want := []string{"first forward", "first dw", "second forward", "second backward", "third forward", "third backward",
		"conv forward", "conv backward", "last forward", "last backward"}
	if len(r.Jobs) != len(want) {
		t.Fatalf("%d jobs, want %d", len(r.Jobs), len(want))
	}
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if j.Name() != want[i] {
			t.Errorf("job %d is %q, want %q", i, j.Name(), want[i])
		}
		for _, b := range j.Baselines {
			if b.Best == nil {
				t.Errorf("%s: baseline %s has no schedule: %s", j.Name(), b.Name, b.Reason)
			} else if b.Best.Cost.Cycles < j.Best().Cost.Cycles {
				t.Errorf("%s: baseline %s takes %g cycles, the best %g", j.Name(), b.Name, b.Best.Cost.Cycles, j.Best().Cost.Cycles)
			}
			if !b.Proven {
				t.Errorf("%s: baseline %s is not proven", j.Name(), b.Name)
			}
		}
	}
}
