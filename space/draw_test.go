package space_test

import (
	"pgregory.net/rapid"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// drawProblem draws a small problem: a GEMM or a convolution, one core or
// several.
func drawProblem(t *rapid.T) *space.Problem {
	p := &space.Problem{Pass: space.Pass(rapid.IntRange(0, 2).Draw(t, "pass"))}
	dim := rapid.Int64Range(1, 7)
	p.Layer = models.Layer{M: dim.Draw(t, "m"), N: dim.Draw(t, "n"), K: dim.Draw(t, "k")}
	if rapid.Bool().Draw(t, "conv") {
		c := &models.Conv{P: 2, Q: dim.Draw(t, "q"), R: 2, S: 1, StrideH: 1, StrideW: 2, DilationH: 1, DilationW: 1}
		c.H, c.W = 3, 2*c.Q
		p.Layer.Conv, p.Layer.M, p.Layer.K = c, p.Layer.M*2*c.Q, p.Layer.K*2
	}
	flag := rapid.Bool()
	p.HW = hardware.Params{
		Rows: 2, Cols: 3, Pipelined: flag.Draw(t, "pipelined"), BytesPerCycle: 2, DMALatency: 3,
		BytesIn: 2, BytesOut: 2, BytesAcc: 4, Cores: rapid.Int64Range(1, 4).Draw(t, "cores"),
		Multicast: flag.Draw(t, "multicast"), SharedSPM: flag.Draw(t, "shared"),
		Energy: hardware.Energy{MACPJ: 1, SPMPJPerByte: 2, DRAMPJPerByte: 16, StaticPJPerCycle: 0.5},
	}
	p.HW.UnifiedSPM(0)
	return p
}

// drawSchedule draws any legal schedule of the problem, with extents beyond
// the share and loops of one step among them.
func drawSchedule(t *rapid.T, p *space.Problem) space.Schedule {
	s := space.Schedule{Pass: p.Pass}
	for _, op := range p.Pass.Ops() {
		o := &s.Ops[op]
		o.Order = rapid.SampledFrom(space.Orders[:]).Draw(t, "order")
		o.Dataflow = rapid.SampledFrom([]hardware.Dataflow{hardware.OS, hardware.WS, hardware.IS}).Draw(t, "dataflow")
		o.Cores[rapid.SampledFrom([]space.Dim{space.M, space.N, space.K}).Draw(t, "split")] =
			uint16(rapid.Int64Range(0, p.HW.Cores).Draw(t, "parts"))
		for d := range space.NumDims {
			o.Tile[d] = rapid.Int64Range(1, p.Dim(d)+1).Draw(t, "tile")
		}
	}
	if p.Pass == space.Backward {
		drawPair(t, p, &s)
	}
	for _, op := range p.Pass.Ops() {
		o := &s.Ops[op]
		for d := range space.NumDims {
			o.Hold[d] = rapid.SampledFrom(space.HoldLevels(o.Order, d)).Draw(t, "hold")
		}
	}
	return s
}

// drawPair draws what the two gradients have in common.
func drawPair(t *rapid.T, p *space.Problem, s *space.Schedule) {
	a, b := &s.Ops[space.DX], &s.Ops[space.DW]
	s.Shared = uint8(rapid.IntRange(0, 3).Draw(t, "shared loops"))
	if s.Shared > 0 || rapid.Bool().Draw(t, "alike") {
		swap := b.Order
		b.Cores, b.Order, b.Tile[space.M], b.Tile[space.N] = a.Cores, a.Order, a.Tile[space.M], a.Tile[space.N]
		if swap[1] > swap[2] && s.Shared < 2 {
			b.Order[1], b.Order[2] = b.Order[2], b.Order[1]
		}
		for _, d := range a.Order[:s.Shared] {
			b.Tile[d] = a.Tile[d]
		}
	}
	if s.Shared == 3 {
		s.Burst = rapid.Int64Range(0, 8).Draw(t, "burst")
	}
}
