package analytic_test

import (
	"testing"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// BenchmarkCost times the exact cost of one schedule of a 3×3 layer of
// ResNet-50, every loop with many ragged steps.
func BenchmarkCost(b *testing.B) {
	layer := models.Layer{M: 12544, N: 64, K: 576, Conv: &models.Conv{
		H: 56, W: 56, P: 56, Q: 56, R: 3, S: 3, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1,
	}}
	hw := hardware.Params{Rows: 45, Cols: 45, Pipelined: true, BytesPerCycle: 22, DMALatency: 100, BytesIn: 2, BytesOut: 2, BytesAcc: 4}
	hw.UnifiedSPM(1 << 20)
	op := func(order space.Order, hold [3]uint8) space.OpSchedule {
		return space.OpSchedule{Tile: [3]int64{500, 13, 100}, Order: order, Hold: hold}
	}
	mnk := space.Order{space.M, space.N, space.K}
	one := op(mnk, [3]uint8{3, 3, 2})
	for name, s := range map[string]space.Schedule{
		"forward":     {Pass: space.Forward, Ops: [3]space.OpSchedule{one, {}, {}}},
		"sequential":  {Pass: space.Backward, Ops: [3]space.OpSchedule{{}, one, one}},
		"coarse":      {Pass: space.Backward, Shared: 1, Ops: [3]space.OpSchedule{{}, one, one}},
		"medium":      {Pass: space.Backward, Shared: 2, Ops: [3]space.OpSchedule{{}, one, one}},
		"fine":        {Pass: space.Backward, Shared: 3, Burst: 1, Ops: [3]space.OpSchedule{{}, one, one}},
		"fine-bursts": {Pass: space.Backward, Shared: 3, Burst: 2, Ops: [3]space.OpSchedule{{}, one, one}},
	} {
		m := analytic.New(&space.Problem{Layer: layer, HW: hw, Pass: s.Pass})
		b.Run(name, func(b *testing.B) {
			var c evaluator.Cost
			b.ReportAllocs()
			for b.Loop() {
				m.Cost(&s, &c)
			}
		})
	}
}

// BenchmarkBound times the bound of a box of the same layer's schedules: wide,
// with step counts open, and narrow, with all of them known.
func BenchmarkBound(b *testing.B) {
	layer := models.Layer{M: 12544, N: 64, K: 576, Conv: &models.Conv{
		H: 56, W: 56, P: 56, Q: 56, R: 3, S: 3, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1,
	}}
	hw := hardware.Params{Rows: 45, Cols: 45, Pipelined: true, BytesPerCycle: 22, DMALatency: 100, BytesIn: 2, BytesOut: 2, BytesAcc: 4}
	hw.UnifiedSPM(1 << 20)
	m := analytic.NewBounding(&space.Problem{Layer: layer, HW: hw, Pass: space.Backward})
	plan := space.Schedule{Pass: space.Backward, Shared: 1}
	box := analytic.Box{Ops: space.Backward.Ops(), Plan: &plan, BurstLo: 1, BurstHi: 1, Enough: 1e300}
	for _, op := range box.Ops {
		plan.Ops[op].Order = space.Order{space.M, space.N, space.K}
		box.Hold[op] = [space.NumDims]uint8{3, 3, 2}
		box.Outer[op] = box.Hold[op]
		box.Flows[op] = 1 << hardware.IS
	}
	for name, hi := range map[string][space.NumDims]int64{"wide": {1000, 26, 200}, "narrow": {500, 13, 101}} {
		b.Run(name, func(b *testing.B) {
			for _, op := range box.Ops {
				box.Lo[op], box.Hi[op] = [space.NumDims]int64{500, 13, 100}, hi
			}
			var f analytic.Figures
			var scratch analytic.Scratch
			b.ReportAllocs()
			for b.Loop() {
				m.Bound(&box, &f, &scratch)
			}
		})
	}
}
