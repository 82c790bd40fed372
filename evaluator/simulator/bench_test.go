package simulator_test

import (
	"testing"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/simulator"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// BenchmarkSimulator reports the time per tile operation of one core: cost
// alone, and on the real SPM.
func BenchmarkSimulator(b *testing.B) {
	p, s := small(space.Backward), pair()
	p.Layer = models.Layer{M: 400, N: 400, K: 60}
	ops := float64(simulator.Ops(p, &s))
	b.Run("evaluate", func(b *testing.B) {
		for b.Loop() {
			results := make([]evaluator.Result, 1)
			if err := simulator.New().Evaluate(b.Context(), p, []space.Schedule{s}, results); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/ops, "ns/tile-op")
	})
	b.Run("run", func(b *testing.B) {
		for b.Loop() {
			if _, err := simulator.New().Run(b.Context(), p, &s, simulator.RunOptions{}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/ops, "ns/tile-op")
	})
}
