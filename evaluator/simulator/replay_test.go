package simulator_test

import (
	"context"
	"errors"
	"testing"

	"github.com/npu-tune/npu-tune/evaluator/cases/golden"
	"github.com/npu-tune/npu-tune/evaluator/simulator"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// TestReplayGolden computes with the schedules of the golden cases: shared
// loops, bursts, cores, reductions over cores, convolutions, batches.
func TestReplayGolden(t *testing.T) {
	all, err := golden.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range all {
		if c.Problem.Layer.MACs() > 60_000 && i%5 > 0 {
			continue // for time
		}
		rep, err := simulator.New().Replay(t.Context(), &c.Problem, &c.Schedule, uint64(i))
		if err != nil {
			t.Errorf("case %d: %v", i, err)
		}
		if len(rep.Tensors) != len(c.Schedule.Pass.Ops()) || rep.Tensors[0].Elements == 0 {
			t.Errorf("case %d: compared %+v", i, rep.Tensors)
		}
	}
}

// convolution makes a layer with the output extents that follow from input,
// window and padding.
func convolution(images, channels, outputs, groups int64, w models.Conv) models.Layer {
	w.P = (w.H+2*w.PadH-w.DilationH*(w.R-1)-1)/w.StrideH + 1
	w.Q = (w.W+2*w.PadW-w.DilationW*(w.S-1)-1)/w.StrideW + 1
	return models.Layer{
		M: images * w.P * w.Q, N: outputs / groups, K: channels / groups * w.R * w.S, Batch: groups, Conv: &w,
	}
}

func TestReplayConvolutions(t *testing.T) {
	for _, c := range []struct {
		name  string
		layer models.Layer
	}{
		{"1×1", convolution(2, 3, 4, 1, models.Conv{H: 5, W: 4, R: 1, S: 1, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1})},
		{"3×3 padded", convolution(2, 3, 4, 1, models.Conv{H: 6, W: 5, R: 3, S: 3, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1, PadH: 1, PadW: 1})},
		{"stride 2", convolution(1, 2, 5, 1, models.Conv{H: 9, W: 8, R: 3, S: 3, StrideH: 2, StrideW: 2, DilationH: 1, DilationW: 1, PadH: 1, PadW: 1})},
		{"stride 3 by 1", convolution(1, 2, 3, 1, models.Conv{H: 11, W: 6, R: 2, S: 3, StrideH: 3, StrideW: 1, DilationH: 1, DilationW: 1})},
		{"stride over the window", convolution(2, 2, 3, 1, models.Conv{H: 8, W: 8, R: 1, S: 2, StrideH: 2, StrideW: 3, DilationH: 1, DilationW: 1})},
		{"dilated", convolution(1, 3, 2, 1, models.Conv{H: 9, W: 10, R: 3, S: 2, StrideH: 1, StrideW: 2, DilationH: 2, DilationW: 3, PadH: 2, PadW: 1})},
		{"1×7", convolution(1, 2, 3, 1, models.Conv{H: 4, W: 9, R: 1, S: 7, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1, PadW: 3})},
		{"7×1", convolution(1, 2, 3, 1, models.Conv{H: 9, W: 4, R: 7, S: 1, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1, PadH: 3})},
		{"groups", convolution(1, 6, 4, 2, models.Conv{H: 6, W: 7, R: 3, S: 3, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1, PadH: 1, PadW: 1})},
		{"depthwise", convolution(2, 5, 5, 5, models.Conv{H: 7, W: 6, R: 3, S: 3, StrideH: 2, StrideW: 1, DilationH: 1, DilationW: 1, PadH: 1, PadW: 1})},
	} {
		if err := c.layer.Validate(); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, explicit := range []bool{false, true} {
			for _, cores := range [][3]uint16{{1, 1, 1}, {2, 2, 2}} {
				p, s := small(space.Backward), pair()
				p.Layer, p.HW.ExplicitIm2col = c.layer, explicit
				for op := range s.Ops {
					s.Ops[op].Cores = cores
				}
				s.Ops[space.Fwd] = space.OpSchedule{}
				rep, err := simulator.New().Replay(t.Context(), p, &s, 1)
				if err != nil {
					t.Errorf("%s, explicit %v, cores %v: %v", c.name, explicit, cores, err)
					continue
				}
				images := c.layer.M / (c.layer.Conv.P * c.layer.Conv.Q)
				inputs := images * c.layer.K / (c.layer.Conv.R * c.layer.Conv.S) * c.layer.Conv.H * c.layer.Conv.W * c.layer.Batches()
				if got := rep.Tensors[0].Elements; got != inputs {
					t.Errorf("%s: %d elements of dX compared, the input has %d", c.name, got, inputs)
				}
				if (rep.Pixels.Touched > 0) == explicit {
					t.Errorf("%s, explicit %v: pixels %+v", c.name, explicit, rep.Pixels)
				}
				p.Pass, s = space.Forward, space.Schedule{Pass: space.Forward}
				s.Ops[space.Fwd] = space.OpSchedule{Tile: [3]int64{7, 2, 5}, Order: space.Order{space.K, space.M, space.N}, Hold: [3]uint8{1, 2, 3}, Cores: cores}
				if _, err := simulator.New().Replay(t.Context(), p, &s, 1); err != nil {
					t.Errorf("%s forward, explicit %v, cores %v: %v", c.name, explicit, cores, err)
				}
			}
		}
	}
}

func TestReplayRepeats(t *testing.T) {
	p, s := small(space.Backward), pair()
	a, err := simulator.New().Replay(t.Context(), p, &s, 7)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := simulator.New().Replay(t.Context(), p, &s, 7)
	other, _ := simulator.New().Replay(t.Context(), p, &s, 8)
	if a.Tensors[0] != b.Tensors[0] || a.Tensors[1] != b.Tensors[1] {
		t.Errorf("one seed, two results: %+v and %+v", a, b)
	}
	if a.Tensors[0] == other.Tensors[0] && a.Tensors[1] == other.Tensors[1] {
		t.Errorf("two seeds, one result: %+v", a)
	}
}

func TestReplayErrors(t *testing.T) {
	p, s := small(space.Backward), pair()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := simulator.New().Replay(ctx, p, &s, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	p.HW.UnifiedSPM(64)
	if _, err := simulator.New().Replay(t.Context(), p, &s, 1); !errors.Is(err, simulator.ErrCapacity) {
		t.Errorf("error %v, want ErrCapacity", err)
	}
}
