package gen

import (
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
)

func (d drawer) layer() models.Layer {
	l := models.Layer{M: d.between(1, d.MaxDim), N: d.between(1, d.MaxDim), K: d.between(1, d.MaxDim)}
	if d.rarely(3) {
		l = d.convolution()
	}
	if d.rarely(4) {
		l.Batch = d.between(2, 3)
	}
	return l
}

// convolution draws the output and the window and computes the input, with
// pixels left over at its end now and then.
func (d drawer) convolution() models.Layer {
	c := &models.Conv{
		P: d.between(1, 4), Q: d.between(1, 4), R: d.between(1, 3), S: d.between(1, 3),
		StrideH: d.between(1, 3), StrideW: d.between(1, 3), DilationH: d.between(1, 2), DilationW: d.between(1, 2),
	}
	if d.rarely(8) {
		c.R, c.S = 1, 7
	}
	c.H, c.PadH = d.input(c.P, c.StrideH, c.R, c.DilationH)
	c.W, c.PadW = d.input(c.Q, c.StrideW, c.S, c.DilationW)
	images, channels := d.between(1, 3), d.between(1, 4)
	return models.Layer{M: images * c.P * c.Q, N: d.between(1, min(d.MaxDim, 12)), K: channels * c.R * c.S, Conv: c}
}

// input returns the input's length and padding along one axis.
func (d drawer) input(outputs, stride, taps, dilation int64) (length, pad int64) {
	reach := (outputs-1)*stride + (taps-1)*dilation + 1
	pad = d.between(0, (taps-1)*dilation/2)
	return max(1, reach-2*pad+d.between(0, stride-1)), pad
}

func (d drawer) hardware() hardware.Params {
	hw := hardware.Params{
		Rows: d.between(1, 8), Cols: d.between(1, 8), Pipelined: d.rarely(2),
		BytesPerCycle: one(d, 1, 0.5, 2, 3, 4, 7, 16, 64.0),
		DMALatency:    one[int64](d, 0, 0, 1, 7, 100),
		BytesIn:       one[int64](d, 1, 2, 4), BytesOut: one[int64](d, 1, 2, 4),
		ExplicitIm2col: d.rarely(5),
		Energy:         hardware.Energy{MACPJ: 0.5, SPMPJPerByte: 2, DRAMPJPerByte: 64, StaticPJPerCycle: one(d, 0, 10.0)},
	}
	hw.BytesAcc = max(hw.BytesOut, one[int64](d, 4, 2, 8))
	if !d.OneCore {
		hw.Multicast, hw.SharedSPM = d.rarely(3), d.rarely(3)
	}
	if d.rarely(4) {
		hw.Dataflows[one(d, hardware.OS, hardware.WS, hardware.IS)] = true
	}
	d.pools(&hw)
	return hw
}

// pools divides the SPM in one to three.
func (d drawer) pools(hw *hardware.Params) {
	hw.NPools = int(d.between(1, int64(hardware.NumRoles)))
	for role := range hw.PoolOf {
		hw.PoolOf[role] = uint8(min(role, hw.NPools-1))
	}
	if !d.Limited {
		return
	}
	for i := range hw.NPools {
		hw.Pools[i].Bytes = d.between(1, 64) * one[int64](d, 64, 16, 4, 1)
	}
}
