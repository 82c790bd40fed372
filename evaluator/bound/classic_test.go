package bound_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/npu-tune/npu-tune/evaluator/bound"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// TestClassicalBounds compares with what holds for any program with an SPM of
// S elements: 2MNK/√S − 2S for a product (arXiv:1702.02017), twice the first
// term for the pair of gradients. Schedules are programs, so a bound on them
// that proves less would waste something. Elements are of one byte.
func TestClassicalBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	extent := func() int64 { return int64(math.Exp(rng.Float64() * 9)) }
	higher, n := 0, 0
	for range 50000 {
		p := &space.Problem{Layer: models.Layer{M: extent(), N: extent(), K: extent()}, Pass: space.Pass(rng.IntN(3))}
		p.HW = hardware.Params{Rows: 8, Cols: 8, BytesPerCycle: 1, BytesIn: 1, BytesOut: 1, BytesAcc: 1, Cores: 1}
		s := 20 + extent()*extent()/4
		p.HW.UnifiedSPM(s)
		root := math.Sqrt(float64(s))
		classical := 2*float64(p.Layer.M)*float64(p.Layer.N)*float64(p.Layer.K)/root - 2*float64(s)
		allowed := 1.0
		if p.Pass == space.Backward {
			allowed = 0.99 // the border between the gradients' regions has steps
			classical = 4*float64(p.Layer.M)*float64(p.Layer.N)*float64(p.Layer.K)/root - 2*float64(s)
		}
		b := bound.For(p)
		if float64(b.IOBytes) < allowed*classical {
			t.Fatalf("%s, m %d, n %d, k %d, S %d: %d elements, the classical bound is %v", p.Pass, p.Layer.M, p.Layer.N, p.Layer.K, s, b.IOBytes, classical)
		}
		if classical > float64(b.CompulsoryBytes) {
			n++
			if float64(b.IOBytes) > 1.2*classical {
				higher++
			}
		}
	}
	t.Logf("of %d problems where the SPM is small, the bound is more than 20 %% above the classical one in %d", n, higher)
}
