package genetic

import (
	"math/rand"
	"testing"

	"pgregory.net/rapid"

	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// drawSpace draws a small problem, several cores and windows included.
func drawSpace(t *rapid.T) *space.Space {
	dim := rapid.Int64Range(1, 60)
	p := gemm(space.Pass(rapid.IntRange(0, 2).Draw(t, "pass")), dim.Draw(t, "m"), dim.Draw(t, "n"), dim.Draw(t, "k"),
		rapid.Int64Range(64, 1<<14).Draw(t, "spm"))
	p.HW.Rows, p.HW.Cols = rapid.Int64Range(1, 9).Draw(t, "rows"), rapid.Int64Range(1, 9).Draw(t, "cols")
	p.HW.Cores = rapid.Int64Range(1, 6).Draw(t, "cores")
	p.HW.SharedSPM = rapid.Bool().Draw(t, "shared SPM")
	if rapid.Bool().Draw(t, "convolution") {
		p.Layer.M, p.Layer.K = 2*36, 9*rapid.Int64Range(1, 5).Draw(t, "channels")
		p.Layer.Conv = &models.Conv{H: 6, W: 6, P: 6, Q: 6, R: 3, S: 3, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1}
	}
	c := space.Constraints{}
	if rapid.Bool().Draw(t, "constrained") {
		c.MaxBurst = 2
		for _, op := range p.Pass.Ops() {
			c.Ops[op].TileMax[space.M] = 16
			c.Ops[op].TileMultiple[space.K] = 3
		}
	}
	sp, err := space.NewSpace(p, c)
	if err != nil {
		t.Fatal(err)
	}
	return sp
}

func TestBredSchedulesBelongToTheSpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sp := drawSpace(t)
		seed := rapid.Uint64().Draw(t, "seed")
		b, rng := newBreeder(sp, seed), rand.New(rand.NewSource(int64(seed)))
		check := func(what string, s *space.Schedule) {
			if err := sp.Allows(s); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
		}
		s, mate := b.random(rng), b.random(rng)
		check("drawn", &s)
		for range 30 {
			b.mutate(&s, rng)
			check("mutated", &s)
			was := mate
			b.cross(&s, &mate, rng)
			check("crossed", &s)
			if mate != was {
				t.Fatal("a crossover changed the mate, whose fitness eaopt keeps")
			}
			s = b.neighbour(s, rng)
			check("neighbour", &s)
			mate = b.random(rng)
		}
	})
}

func TestShrunkSchedulesFit(t *testing.T) {
	sp, err := space.NewSpace(gemm(space.Backward, 784, 1024, 512, 1<<18), space.Constraints{})
	if err != nil {
		t.Fatal(err)
	}
	b, rng := newBreeder(sp, 1), rand.New(rand.NewSource(1))
	fit := 0
	const draws = 500
	for range draws {
		if s := b.random(rng); b.over(&s) <= 0 {
			fit++
		}
	}
	if fit < draws*3/4 {
		t.Errorf("%d of %d drawn schedules fit the SPM, want three in four", fit, draws)
	}
}

func TestExtentsOf(t *testing.T) {
	for _, c := range []struct {
		extent  int64
		periods []int64
		want    []int64
	}{
		{1, []int64{4}, []int64{1}},
		{10, []int64{4}, []int64{1, 2, 3, 4, 5, 8, 10}}, // 4 twice, 8 only as a multiple
		{7, []int64{10}, []int64{1, 2, 3, 4, 7}},
	} {
		got := extentsOf(c.extent, c.periods)
		if len(got) != len(c.want) {
			t.Errorf("extents of %d: %v, want %v", c.extent, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("extents of %d: %v, want %v", c.extent, got, c.want)
				break
			}
		}
	}
}

// TestSnapKeepsTheSteps: whatever extent is drawn for a number of steps has
// that number, unless no extent has.
func TestSnapKeepsTheSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sp, err := space.NewSpace(gemm(space.Forward, rapid.Int64Range(1, 5000).Draw(t, "m"), 3, 3, 1<<18), space.Constraints{})
		if err != nil {
			t.Fatal(err)
		}
		b := newBreeder(sp, 1)
		extent := sp.Problem.Layer.M
		want := space.CeilDiv(extent, rapid.Int64Range(1, extent).Draw(t, "tile")) // reachable
		o := space.OpSchedule{Tile: [space.NumDims]int64{1, 1, 1}}
		b.snap(&o, space.M, want, rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed"))))
		if got := space.CeilDiv(extent, o.Tile[space.M]); got != want {
			t.Fatalf("tile %d of %d takes %d steps, want %d", o.Tile[space.M], extent, got, want)
		}
	})
}
