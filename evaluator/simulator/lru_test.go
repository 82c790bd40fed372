package simulator_test

import (
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/cases/golden"
	"github.com/npu-tune/npu-tune/evaluator/simulator"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// interleaved is the paper's plain interleaving on tiles of 2×2×2.
func interleaved() (*space.Problem, space.Schedule) {
	p := &space.Problem{Layer: models.Layer{M: 4, N: 4, K: 2}, Pass: space.Backward}
	p.HW = hardware.Params{Rows: 2, Cols: 2, BytesPerCycle: 1, BytesIn: 1, BytesOut: 1, BytesAcc: 2}
	s := space.Schedule{Pass: space.Backward}
	s.Ops[space.DX] = space.OpSchedule{Tile: [3]int64{2, 2, 2}, Order: space.Order{space.M, space.N, space.K}}
	s.Ops[space.DW] = space.OpSchedule{Tile: [3]int64{2, 2, 2}, Order: space.Order{space.N, space.M, space.K}}
	return p, s
}

func TestAlternating(t *testing.T) {
	p, s := interleaved()
	var got []string
	for o := range simulator.Alternating(p, &s) {
		got = append(got, o.Op.String()+string("0123"[o.Index[space.M]])+string("0123"[o.Index[space.N]]))
	}
	want := "dx00 dw00 dx01 dw10 dx10 dw01 dx11 dw11"
	if g := strings.Join(got, " "); g != want {
		t.Errorf("%s, want %s", g, want)
	}
}

// TestLRUByHand follows the plain interleaving. A tile is 4 elements: 4 bytes
// as an input, 8 as sums.
func TestLRUByHand(t *testing.T) {
	for _, c := range []struct {
		name               string
		spm                int64
		fraction           float64
		dy, w, x, dxR, dwR int64 // bytes read
		dx, dw             int64 // bytes written
	}{
		// Everything once.
		{"unlimited", 0, 0, 16, 8, 8, 0, 0, 8, 8},
		{"all fits", 64, 0, 16, 8, 8, 0, 0, 8, 8},
		{"half of more", 128, 0.5, 16, 8, 8, 0, 0, 8, 8},
		// Tiles in use are named first, then what goes for what comes:
		//  dx00: W0 dX0 dY00 come.       dw00: dW0 X0 come: 28 bytes.
		//  dx01 (dW0 X0 dY00): W1 comes; W0 goes for dY01: 32 bytes from here on.
		//  dw10 (W1 dX0 dY01): dY00 goes for X1, X0 for dY10.
		//  dx10 (dW0 X1 dY10): dX0, complete, goes for W0, W1 for dX1.
		//  dw01 (W0 dX1 dY10): dY01 stays, dW0, complete, goes for dW1, X1 for X0.
		//  dx11 (dW1 X0 dY01): dY10 goes for W1, W0 for dY11.
		//  dw11 (W1 dX1 dY11): X1 comes for X0 or dY01.
		{"tight", 32, 0, 16, 16, 16, 0, 0, 8, 8},
	} {
		p, s := interleaved()
		p.HW.UnifiedSPM(c.spm)
		cost, err := simulator.New().RunLRU(t.Context(), p, &s, simulator.LRUOptions{Fraction: c.fraction, Sequence: simulator.Alternating(p, &s)})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := [...]int64{
			cost.Traffic[space.GradY].Read, cost.Traffic[space.W].Read, cost.Traffic[space.X].Read,
			cost.Traffic[space.GradX].Read, cost.Traffic[space.GradW].Read, cost.Traffic[space.GradX].Write, cost.Traffic[space.GradW].Write,
		}
		if want := [...]int64{c.dy, c.w, c.x, c.dxR, c.dwR, c.dx, c.dw}; got != want {
			t.Errorf("%s: traffic of dy, w, x, dx, dw read, dx, dw written %v, want %v", c.name, got, want)
		}
		if c.spm > 0 && cost.SPMBytes > c.spm {
			t.Errorf("%s: %d bytes in use", c.name, cost.SPMBytes)
		}
		if cost.Ops != 8 || cost.MACs != 64 {
			t.Errorf("%s: %d operations, %d MACs", c.name, cost.Ops, cost.MACs)
		}
	}
}

// TestLRUPartialSums walks k outside with room for two of three result tiles:
// each one's sums go to DRAM once (8 bytes) and come back, then it is complete
// (4 bytes).
func TestLRUPartialSums(t *testing.T) {
	p := &space.Problem{Layer: models.Layer{M: 6, N: 2, K: 4}, Pass: space.Forward}
	p.HW = hardware.Params{Rows: 2, Cols: 2, BytesPerCycle: 1, BytesIn: 1, BytesOut: 1, BytesAcc: 2}
	p.HW.UnifiedSPM(32)
	s := space.Schedule{Pass: space.Forward}
	s.Ops[space.Fwd] = space.OpSchedule{Tile: [3]int64{2, 2, 2}, Order: space.Order{space.K, space.M, space.N}}
	cost, err := simulator.New().RunLRU(t.Context(), p, &s, simulator.LRUOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := [space.NumTensors]evaluator.Traffic{space.X: {Read: 24}, space.W: {Read: 8}, space.Y: {Read: 24, Write: 36}}
	if cost.Traffic != want {
		t.Errorf("traffic %v, want %v", cost.Traffic, want)
	}
	// 8 bytes before the first operation, 8 after the last; an operation takes
	// 2 + 2 cycles. Beside them: X; X, Y0 out; W, X, Y0 in, Y1 out; X, Y1 in,
	// Y2 out; X, Y2 in, Y0 complete; nothing.
	if want := 8 + 4 + 12 + 24 + 20 + 16 + 4 + 8.0; cost.Cycles != want {
		t.Errorf("%v cycles, want %v", cost.Cycles, want)
	}
	// Each operation reads 8 bytes of inputs; sums are 8 bytes, read too but
	// for the first time; then what the DMA engine moves.
	if want := int64(6*8 + 3*8 + 3*16 + 24 + 8 + 24 + 36); cost.SPMAccessBytes != want {
		t.Errorf("%d bytes of SPM accesses, want %d", cost.SPMAccessBytes, want)
	}
}

// TestLRUGolden runs the golden schedules without their plan. With an
// unlimited cache each tensor moves once, as its region holds it all; the
// sequence, and so the array's work, is that of the schedule.
func TestLRUGolden(t *testing.T) {
	all, err := golden.Cases()
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for i, c := range all {
		if c.Schedule.Ops[space.DX].Cores != c.Schedule.Ops[space.DW].Cores && c.Schedule.Pass == space.Backward {
			continue
		}
		cost, err := simulator.New().RunLRU(t.Context(), &c.Problem, &c.Schedule, simulator.LRUOptions{})
		if err != nil {
			t.Errorf("case %d: %v", i, err)
			continue
		}
		ran++
		if cost.Ops != c.Expect.Ops || cost.ComputeCycles != c.Expect.ComputeCycles || cost.MACs != c.Expect.MACs {
			t.Errorf("case %d: %d operations, %d array cycles, %d MACs; want %d, %d, %d", i,
				cost.Ops, cost.ComputeCycles, cost.MACs, c.Expect.Ops, c.Expect.ComputeCycles, c.Expect.MACs)
		}
		for tensor := range space.NumTensors {
			if got, most := cost.Traffic[tensor], c.Expect.Traffic[tensor]; got.Read > most.Read || got.Write > most.Write {
				t.Errorf("case %d: %v moves %+v with an unlimited cache, planned %+v", i, tensor, got, most)
			}
		}
	}
	if ran < 900 {
		t.Errorf("only %d cases ran", ran)
	}
}

func TestLRUErrors(t *testing.T) {
	p, s := interleaved()
	all := slices.Collect(simulator.Alternating(p, &s))
	seq := func(ops ...simulator.TileOp) iter.Seq[simulator.TileOp] { return slices.Values(ops) }
	for _, c := range []struct {
		name string
		spm  int64
		o    simulator.LRUOptions
		want error
		text string
	}{
		{"left out", 0, simulator.LRUOptions{Sequence: seq(all[1:]...)}, simulator.ErrSequence, "3 operations of dx, want 4"},
		{"twice", 0, simulator.LRUOptions{Sequence: seq(append(all, all[2])...)}, simulator.ErrSequence, "dx runs tile [0 1 0] twice"},
		{"not of the pass", 0, simulator.LRUOptions{Sequence: seq(simulator.TileOp{Op: space.Fwd})}, simulator.ErrSequence, "fwd is not in the pass"},
		{"no such tile", 0, simulator.LRUOptions{Sequence: seq(simulator.TileOp{Op: space.DW, Index: [3]int64{0, 2, 0}})}, simulator.ErrSequence, "dw has tile 2 along n, want 0 to 1"},
		{"too small", 27, simulator.LRUOptions{Sequence: seq(all...)}, simulator.ErrCapacity, "the cache has 27"},
		{"half too small", 54, simulator.LRUOptions{Sequence: seq(all...), Fraction: 0.5}, simulator.ErrCapacity, "the cache has 27"},
		{"fraction", 0, simulator.LRUOptions{Fraction: 1.5}, simulator.ErrCapacity, "1.5 of the SPM"},
	} {
		p.HW.UnifiedSPM(c.spm)
		_, err := simulator.New().RunLRU(t.Context(), p, &s, c.o)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.text)
		}
	}
}
