package space_test

import (
	"errors"
	"testing"

	"github.com/npu-tune/npu-tune/evaluator/cases/golden"
	"github.com/npu-tune/npu-tune/space"
)

func TestSmallestSchedulesOfGoldenOptima(t *testing.T) {
	optima, err := golden.Optima()
	if err != nil {
		t.Fatal(err)
	}
	infeasible := 0
	for i := range optima {
		o := &optima[i]
		s := o.Problem.Smallest()
		if err := o.Problem.Legal(&s); err != nil {
			t.Errorf("problem %d: %v", i, err)
		}
		least := o.Problem.MinSPMBytes()
		if o.Infeasible {
			infeasible++
			if err := o.Problem.Room(0); !errors.Is(err, space.ErrCapacity) || least <= o.Problem.HW.SPMBytes() {
				t.Errorf("problem %d: nothing fits, but %d bytes would do (%v)", i, least, err)
			}
			continue
		}
		if least != int64(o.Min.SPMBytes) {
			t.Errorf("problem %d (%s): least SPM bytes %d, want %v", i, o.Problem.Pass, least, o.Min.SPMBytes)
		}
		if err := o.Problem.Room(0); err != nil {
			t.Errorf("problem %d: %v", i, err)
		}
	}
	if infeasible != 11 {
		t.Errorf("%d infeasible problems, want 11", infeasible)
	}
}

func TestRoomSaysHowManyBytesWouldDo(t *testing.T) {
	p := &space.Problem{Layer: goldenCases(t)[0].Problem.Layer, HW: goldenCases(t)[0].Problem.HW}
	p.Layer.Conv, p.Layer.M, p.Layer.N, p.Layer.K = nil, 10, 10, 10
	p.HW.UnifiedSPM(15)
	// Two one-element slots each of X and W at 2 bytes, of Y at 4.
	const want = "SPM too small for one element tile: it has 15 bytes, 16 would do"
	if err := p.Room(0); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	p.HW.UnifiedSPM(16)
	if err := p.Room(0); err != nil {
		t.Error(err)
	}
	if err := p.Room(1); err == nil {
		t.Error("fits with a byte reserved")
	}
	p.HW.NPools, p.HW.PoolOf = 3, [3]uint8{0, 1, 2}
	p.HW.Pools[0].Bytes, p.HW.Pools[1].Bytes, p.HW.Pools[2].Bytes = 4, 4, 4
	const pools = "SPM too small for one element tile: its pools have [4 4 4] bytes, [4 4 8] would do"
	if err := p.Room(0); err == nil || err.Error() != pools {
		t.Errorf("error %v, want %s", err, pools)
	}
}
