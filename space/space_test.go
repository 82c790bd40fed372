package space_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// tiny is a problem whose whole space can be enumerated.
func tiny(pass space.Pass, m, n, k int64) *space.Problem {
	p := &space.Problem{Pass: pass, Layer: models.Layer{M: m, N: n, K: k}}
	p.HW = hardware.Params{Rows: 2, Cols: 2, BytesPerCycle: 1, BytesIn: 2, BytesOut: 2, BytesAcc: 4, Cores: 1}
	p.HW.Dataflows[hardware.WS] = true
	p.HW.UnifiedSPM(0)
	return p
}

// constraints restrict each thing that can be restricted, one at a time.
func constraints() map[string]space.Constraints {
	all := map[string]space.Constraints{"none": {}, "shared": {Shared: 1<<1 | 1<<3}, "burst": {MaxBurst: 1}}
	ops := func(name string, change func(*space.OpConstraints)) {
		c := space.Constraints{}
		for op := range space.NumOps {
			change(&c.Ops[op])
		}
		all[name] = c
	}
	ops("orders", func(o *space.OpConstraints) {
		o.Orders = []space.Order{{space.M, space.N, space.K}, {space.K, space.N, space.M}}
	})
	ops("hold", func(o *space.OpConstraints) { o.Hold[space.M] = 1<<0 | 1<<3 })
	ops("multiple", func(o *space.OpConstraints) { o.TileMultiple[space.M] = 2 })
	ops("most", func(o *space.OpConstraints) { o.TileMax[space.M] = 1 })
	one := space.Constraints{}
	one.Ops[space.DX].TileMax[space.M] = 1
	one.Ops[space.DW].Orders = []space.Order{{space.M, space.K, space.N}}
	all["one operation"] = one
	return all
}

// A space holds exactly the schedules that its constraints allow: Size counts
// them, and each is its genome's schedule.
func TestSpaceIsWhatConstraintsAllow(t *testing.T) {
	for _, p := range []*space.Problem{tiny(space.Forward, 3, 2, 4), tiny(space.DWOnly, 4, 1, 3), tiny(space.Backward, 2, 1, 2)} {
		for name, c := range constraints() {
			sp, err := space.NewSpace(p, c)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			count := 0.0
			for s := range space.All(p) {
				if sp.Allows(&s) != nil {
					continue
				}
				count++
				g, err := sp.Encode(&s)
				if err != nil {
					t.Fatalf("%s: %v\n%+v", name, err, s)
				}
				if back := sp.Decode(&g); back != s {
					t.Fatalf("%s: genome of\n%+v is of\n%+v", name, s, back)
				}
			}
			if got := sp.Size(); got != count {
				t.Errorf("%s %s: size %v, want %v", p.Pass, name, got, count)
			}
		}
	}
}

func TestAllAreDistinctAndLegal(t *testing.T) {
	p := tiny(space.Backward, 2, 1, 2)
	seen := map[space.Schedule]bool{}
	for s := range space.All(p) {
		if err := p.Legal(&s); err != nil {
			t.Fatal(err)
		}
		if seen[s] {
			t.Fatalf("%+v comes twice", s)
		}
		seen[s] = true
	}
	// 6 orders, 27 holds and 2·1·2 extents per gradient, one after the other.
	if sequential := 648 * 648; len(seen) <= sequential {
		t.Errorf("%d schedules, want more than %d", len(seen), sequential)
	}
}

func drawConstraints(t *rapid.T) space.Constraints {
	c := space.Constraints{Shared: uint8(rapid.IntRange(0, 15).Draw(t, "shared mask")), MaxBurst: rapid.Int64Range(0, 3).Draw(t, "max burst")}
	for op := range space.NumOps {
		o := &c.Ops[op]
		o.Orders = rapid.SliceOfNDistinct(rapid.SampledFrom(space.Orders[:]), 0, 3, rapid.ID).Draw(t, "orders")
		o.NoPartialSums = rapid.Bool().Draw(t, "no partial sums")
		for d := range space.NumDims {
			o.TileMultiple[d] = rapid.Int64Range(0, 4).Draw(t, "multiple")
			o.TileMax[d] = rapid.SampledFrom([]int64{0, 0, 0, 3, 5}).Draw(t, "most")
			o.Hold[d] = uint8(rapid.SampledFrom([]int{0, 0, 0, 1, 14, 9}).Draw(t, "hold"))
		}
	}
	return c
}

// Any genome is a schedule of the space, and the schedule's genome is a
// schedule's as well: the same one.
func TestGenomes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		sp, err := space.NewSpace(p, drawConstraints(t))
		if errors.Is(err, space.ErrEmpty) {
			return
		}
		rng := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))
		for range 50 {
			g := sp.Random(rng)
			s := sp.Decode(&g)
			if err := sp.Allows(&s); err != nil {
				t.Fatalf("%v\n%+v", err, s)
			}
			h, err := sp.Encode(&s)
			if err != nil {
				t.Fatalf("%v\n%+v", err, s)
			}
			if back := sp.Decode(&h); back != s {
				t.Fatalf("genome of\n%+v is of\n%+v", s, back)
			}
		}
	})
}

func TestNewSpaceSaysWhatIsEmpty(t *testing.T) {
	p := tiny(space.Backward, 4, 4, 4)
	c := space.Constraints{Shared: 1 << 3}
	c.Ops[space.DX].Orders = []space.Order{{space.M, space.N, space.K}}
	c.Ops[space.DW].Orders = []space.Order{{space.N, space.M, space.K}}
	if _, err := space.NewSpace(p, c); !errors.Is(err, space.ErrEmpty) {
		t.Errorf("orders that share nothing: error %v", err)
	}
	c = space.Constraints{}
	c.Ops[space.DW].Dataflows = []hardware.Dataflow{hardware.OS}
	if _, err := space.NewSpace(p, c); !errors.Is(err, space.ErrEmpty) {
		t.Errorf("a dataflow that the array lacks: error %v", err)
	}
}

func TestDecodeAllocatesNothing(t *testing.T) {
	p := tiny(space.Backward, 1<<20, 12345, 777)
	sp, err := space.NewSpace(p, space.Constraints{})
	if err != nil {
		t.Fatal(err)
	}
	g := sp.Random(rand.New(rand.NewPCG(1, 2)))
	if n := testing.AllocsPerRun(100, func() { sp.Decode(&g) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkDecode(b *testing.B) {
	sp, err := space.NewSpace(tiny(space.Backward, 12544, 64, 576), space.Constraints{})
	if err != nil {
		b.Fatal(err)
	}
	g := sp.Random(rand.New(rand.NewPCG(1, 2)))
	b.ReportAllocs()
	for b.Loop() {
		g[3]++
		sp.Decode(&g)
	}
}
