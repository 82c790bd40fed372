package genetic

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// npu is an array of 45 × 45 PEs at 22 bytes per cycle.
func npu(spmBytes int64) hardware.Params {
	hw := hardware.Params{
		Rows: 45, Cols: 45, Pipelined: true, BytesPerCycle: 22, DMALatency: 100,
		BytesIn: 2, BytesOut: 2, BytesAcc: 4, Cores: 1,
	}
	hw.UnifiedSPM(spmBytes)
	return hw
}

func gemm(pass space.Pass, m, n, k, spmBytes int64) *space.Problem {
	return &space.Problem{Layer: models.Layer{M: m, N: n, K: k}, HW: npu(spmBytes), Pass: pass}
}
