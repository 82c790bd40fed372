package exhaustive_test

import (
	"context"
	"math"
	"testing"

	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/exhaustive"
	"github.com/npu-tune/npu-tune/space"
)

// TestPartitions: the best of each way to split a layer over the cores has
// that split, and the best of them all is the optimum of gradients that share
// loops, which have one split.
func TestPartitions(t *testing.T) {
	cores := kind{passes: twoOp, cores: true, most: 150e3}
	for seed := range uint64(30) {
		p, _ := cores.draw(seed)
		shared := space.Constraints{Shared: 1<<1 | 1<<2 | 1<<3}
		want, best := leastCycles(t, &p, shared), math.Inf(1)
		for _, parts := range partitions(&p) {
			c := shared
			c.Partitions = [][space.NumDims]uint16{parts}
			best = min(best, leastCycles(t, &p, c))
		}
		if math.Abs(best-want) > 1e-9*want {
			t.Errorf("seed %d: the best of all partitions takes %g cycles, the optimum is %g", seed, best, want)
		}
	}
}

// leastCycles returns the least cycles under constraints; none are +Inf.
func leastCycles(t *testing.T, p *space.Problem, c space.Constraints) float64 {
	t.Helper()
	o, err := exhaustive.New().Search(context.Background(), &search.Request{Problem: p, Constraints: c})
	if err != nil {
		t.Fatal(err)
	}
	best := o.Best()
	if best == nil {
		return math.Inf(1)
	}
	if err := c.Allow(p, &best.Schedule); err != nil {
		t.Errorf("%v of %+v: %v", best.Schedule, p.Layer, err)
	}
	return best.Cost.Cycles
}
