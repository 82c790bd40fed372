package space_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/npu-tune/npu-tune/evaluator/cases"
	"github.com/npu-tune/npu-tune/evaluator/cases/golden"
	"github.com/npu-tune/npu-tune/space"
)

func goldenCases(t *testing.T) []cases.Case {
	t.Helper()
	all, err := decodeGolden()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(all)
}

var decodeGolden = sync.OnceValues(golden.Cases)

func TestGoldenSchedulesAreLegal(t *testing.T) {
	for i, c := range goldenCases(t) {
		if err := c.Problem.Legal(&c.Schedule); err != nil {
			t.Errorf("case %d: %v", i, err)
		}
	}
}

func TestGoldenFootprints(t *testing.T) {
	for i, c := range goldenCases(t) {
		f := c.Problem.Footprint(&c.Schedule)
		if got := f.Slots(); got != c.Expect.Slots {
			t.Errorf("case %d: slots %v, want %v", i, got, c.Expect.Slots)
		}
		if got := f.SPMBytes(); got != c.Expect.SPMBytes {
			t.Errorf("case %d: %d SPM bytes, want %d", i, got, c.Expect.SPMBytes)
		}
	}
}

// Regions of one run lie one after the other and fill exactly what is counted.
func TestGoldenLayouts(t *testing.T) {
	for i, c := range goldenCases(t) {
		c.Problem.HW.NPools = 3
		c.Problem.HW.PoolOf = [3]uint8{0, 1, 2}
		f := c.Problem.Footprint(&c.Schedule)
		var end [2][3]int64
		for _, u := range f.Uses() {
			if u.Offset != end[u.Run][u.Pool] {
				t.Fatalf("case %d: %s begins at %d, want %d", i, u.Region, u.Offset, end[u.Run][u.Pool])
			}
			end[u.Run][u.Pool] += u.Bytes
		}
		var total [2]int64
		for run := range end {
			for pool := range end[run] {
				total[run] += end[run][pool]
			}
		}
		if got := max(total[0], total[1]); got != c.Expect.SPMBytes {
			t.Errorf("case %d: pools take %d bytes, want %d", i, got, c.Expect.SPMBytes)
		}
		if two := c.Problem.TwoRuns(&c.Schedule); two != (end[1] != [3]int64{}) {
			t.Errorf("case %d: two runs %v, but the second takes %v", i, two, end[1])
		}
	}
}

func TestFits(t *testing.T) {
	for i, c := range goldenCases(t) {
		hw := &c.Problem.HW
		cores := int64(1)
		if hw.SharedSPM {
			cores = c.Schedule.Ops[c.Schedule.Pass.Ops()[0]].CoreCount()
		}
		if c.Problem.TwoRuns(&c.Schedule) && hw.SharedSPM {
			continue // each run has its own cores' SPM
		}
		enough := space.CeilDiv(c.Expect.SPMBytes, cores)
		hw.UnifiedSPM(enough)
		f := c.Problem.Footprint(&c.Schedule)
		if err := f.Fits(0); err != nil || f.Over(0) != 0 {
			t.Errorf("case %d does not fit its own bytes: %v, over %d", i, err, f.Over(0))
		}
		if err := f.Fits(1); err == nil || f.Over(1) < 1 {
			t.Errorf("case %d: fits with one byte too few", i)
		}
	}
}

// What a loop nest says of moves is what golden traffic says: a plain GEMM's
// tensors move as a whole as often as they come to the SPM.
func TestGoldenReloads(t *testing.T) {
	checked := 0
	for i, c := range goldenCases(t) {
		p, s := &c.Problem, &c.Schedule
		for _, op := range s.Pass.Ops() {
			if s.Ops[op].CoreCount() > 1 || p.Layer.Conv != nil {
				continue
			}
			for d := range space.NumDims {
				tensor := op.Tensor(d)
				if tensor == space.GradY && s.Pass == space.Backward && !p.SharesDY(s) {
					continue // traffic is the sum of both gradients'
				}
				elements := p.TileElements(tensor, [3]int64{p.Layer.M, p.Layer.N, p.Layer.K}) * p.Layer.Batches()
				times := space.Reloads(p, s, op, d)
				want := c.Expect.Traffic[tensor]
				got := want
				got.Read = elements * times * p.HW.BytesIn
				if d == op.Reduction() {
					got.Read = elements * (times - 1) * p.HW.BytesAcc
					got.Write = got.Read + elements*p.HW.BytesOut
				}
				if got != want {
					t.Errorf("case %d: %s comes %d times, which moves %+v, want %+v", i, tensor, times, got, want)
				}
				checked++
			}
		}
	}
	if checked < 500 {
		t.Errorf("only %d tensors checked", checked)
	}
}
