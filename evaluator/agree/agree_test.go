package agree_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/npu-tune/npu-tune/evaluator/agree"
	"github.com/npu-tune/npu-tune/evaluator/simulator"
	"github.com/npu-tune/npu-tune/evaluator/simulator/gen"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// TestCosts compares every figure of random schedules: every pass, shared
// loops, bursts, convolutions, cores, multicast, shared and divided SPMs,
// batches, ragged tiles.
func TestCosts(t *testing.T) {
	forEach(t, count(t), gen.Options{}, func(rt *rapid.T, p *space.Problem, s *space.Schedule) {
		if err := agree.Check(p, s); err != nil {
			rt.Fatal(err)
		}
	})
}

// TestNumbers carries real numbers through the SPM slots of the schedules and
// compares outputs and gradients with a reference that knows no tiles:
// integers exactly, float32 within simulator.FloatTolerance.
func TestNumbers(t *testing.T) {
	if simulator.FloatTolerance > 1e-4 {
		t.Fatalf("tolerance of float32 is %v, want 1e-4 at most", simulator.FloatTolerance)
	}
	sim := simulator.New()
	replayed, elements := 0, int64(0)
	forEach(t, count(t)/10, gen.Options{}, func(rt *rapid.T, p *space.Problem, s *space.Schedule) {
		if err := agree.Check(p, s); err != nil {
			rt.Fatal(err)
		}
		roomy := *p
		roomy.HW.Pools = [hardware.NumRoles]hardware.Pool{} // what does not fit computes too
		for _, problem := range []*space.Problem{p, &roomy} {
			rep, err := sim.Replay(t.Context(), problem, s, uint64(replayed))
			if errors.Is(err, simulator.ErrCapacity) && problem == p {
				continue
			}
			if err != nil {
				rt.Fatal(err)
			}
			for _, c := range rep.Tensors {
				elements += c.Elements
			}
			break
		}
		replayed++
	})
	t.Logf("%d schedules computed %d elements as the reference", replayed, elements)
}

func TestCheck(t *testing.T) {
	p := &space.Problem{Layer: models.Layer{M: 100000, N: 1000, K: 1000}, Pass: space.Forward}
	p.HW = hardware.Params{Rows: 4, Cols: 4, BytesPerCycle: 2, BytesIn: 2, BytesOut: 2, BytesAcc: 4}
	s := space.Schedule{Pass: space.Forward}
	s.Ops[space.Fwd] = space.OpSchedule{Tile: [3]int64{1, 1, 1}, Order: space.Orders[0]}
	if err := agree.Check(p, &s); !errors.Is(err, simulator.ErrTooLarge) {
		t.Errorf("%d tile operations: %v, want ErrTooLarge", int64(1e11), err)
	}
	s.Ops[space.Fwd].Tile = [3]int64{1000, 100, 100}
	if err := agree.Check(p, &s); err != nil {
		t.Error(err)
	}
	s.Ops[space.Fwd].Tile[0] = 0
	if err := agree.Check(p, &s); err != nil {
		t.Errorf("illegal for both: %v", err)
	}
	p.Layer.M = 0
	if err := agree.Check(p, &s); !errors.Is(err, models.ErrLayer) {
		t.Errorf("no problem: %v, want ErrLayer", err)
	}
}
