package bound

import (
	"testing"

	"github.com/npu-tune/npu-tune/evaluator/simulator/gen"
	"github.com/npu-tune/npu-tune/space"
)

// TestDensity compares with every tile of random convolutions: the density is
// a bound, and one tile has it.
func TestDensity(t *testing.T) {
	found := 0
	for seed := uint64(0); found < 3000; seed++ {
		p, _ := gen.Case(gen.Seeded(seed), gen.Options{OneCore: true})
		c := p.Layer.Conv
		if c == nil {
			continue
		}
		found++
		if seed%3 == 0 { // inputs that are larger or smaller than the windows reach
			c.H, c.W = max(1, c.H-2+int64(seed%5)), max(1, c.W-2+int64(seed%7))
		}
		least := 1.0
		for pixels := range 3 * c.P * c.Q {
			m := pixels + 1
			least = min(least, float64(space.Pixels(c, m))/float64(c.R*c.S*m))
		}
		if got := density(c); got < least*(1-1e-12) || got > least*(1+1e-12) {
			t.Fatalf("%+v: density %v, least of all tiles %v", *c, got, least)
		}
		if !p.Implicit() {
			continue
		}
		for tm := int64(1); tm <= p.Layer.M; tm++ {
			for tk := int64(1); tk <= p.Layer.K; tk++ {
				if e := float64(p.XElements(tm, tk)); e < least*float64(tm*tk)*(1-1e-12) {
					t.Fatalf("%+v: a tile of %d × %d has %v elements, density %v", *c, tm, tk, e, least)
				}
			}
		}
	}
}

// TestMoreCores compares the bound of one core with those of more: more
// cores never raise a bound.
func TestMoreCores(t *testing.T) {
	for seed := range uint64(500) {
		p, _ := gen.Case(gen.Seeded(seed), gen.Options{Limited: true})
		p.HW.Cores = 1
		last := For(&p)
		for _, cores := range []int64{2, 3, 6, 0} {
			p.HW.Cores = cores
			b := For(&p)
			if b.IOBytes > last.IOBytes || b.Cycles > last.Cycles*(1+1e-12) || b.ComputeCycles > last.ComputeCycles ||
				b.EnergyPJ > last.EnergyPJ*(1+1e-12) || b.SPMBytes > last.SPMBytes {
				t.Fatalf("seed %d, %d cores: %+v, with fewer %+v", seed, cores, b, last)
			}
			last = b
		}
	}
}

func BenchmarkFor(b *testing.B) {
	p, _ := gen.Case(gen.Seeded(5), gen.Options{})
	for _, cores := range []int64{1, 32} {
		p.Pass, p.HW.Cores = space.Backward, cores
		b.Run(map[int64]string{1: "1 core", 32: "32 cores"}[cores], func(b *testing.B) {
			for range b.N {
				For(&p)
			}
		})
	}
}
