package handtuned_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
	"github.com/npu-tune/npu-tune/space/handtuned"
)

// problem is a pass of an m × n × k layer on the paper's small NPU.
func problem(pass space.Pass, m, n, k, spm int64) *space.Problem {
	p := &space.Problem{Pass: pass, Layer: models.Layer{M: m, N: n, K: k}}
	p.HW = hardware.Params{
		Rows: 45, Cols: 45, Pipelined: true, BytesPerCycle: 22, DMALatency: 100, BytesIn: 2, BytesOut: 2, BytesAcc: 4, Cores: 1,
	}
	p.HW.UnifiedSPM(spm)
	return p
}

func baseline(t *testing.T, p *space.Problem, name string) handtuned.Baseline {
	t.Helper()
	for _, b := range handtuned.For(p) {
		if b.Name == name {
			return b
		}
	}
	t.Fatalf("no baseline %q", name)
	return handtuned.Baseline{}
}

func TestNames(t *testing.T) {
	for pass := range space.NumPasses {
		var names []string
		for _, b := range handtuned.For(problem(pass, 100, 100, 100, 1<<20)) {
			names = append(names, b.Name)
			if b.Description == "" || (b.Fixed == nil) == (len(b.Families) == 0) {
				t.Errorf("%s %s: want a description and either a schedule or families: %+v", pass, b.Name, b)
			}
		}
		if d := cmp.Diff(handtuned.Names(), names); d != "" {
			t.Errorf("%s: %s", pass, d)
		}
	}
}

func TestConventional(t *testing.T) {
	for _, c := range []struct {
		name    string
		m, n, k int64
		spm     int64
		tile    [space.NumDims]int64 // of fwd
	}{
		// 2·2·(225·225 + 225·225) + 2·4·225·225 = 810,000 bytes; the next cube, 270, takes 1,166,400.
		{"cube", 10000, 10000, 10000, 1 << 20, [3]int64{225, 225, 225}},
		{"whole layer", 64, 64, 64, 1 << 20, [3]int64{64, 64, 64}},
		// One array takes 32,400 bytes; without rounding 16·t² ≤ 16,384.
		{"less than an array", 1000, 1000, 1000, 16384, [3]int64{32, 32, 32}},
		// n is whole: 4·(t² + 64·t) + 8·64·t = 4·t² + 768·t ≤ 2²⁰ bytes, so t = 405; 450 takes 1,155,600.
		{"clipped", 10000, 64, 10000, 1 << 20, [3]int64{405, 64, 405}},
		{"one element", 100, 100, 100, 16, [3]int64{1, 1, 1}},
	} {
		p := problem(space.Forward, c.m, c.n, c.k, c.spm)
		s := baseline(t, p, handtuned.Conventional).Fixed
		if got := s.Ops[space.Fwd].Tile; got != c.tile {
			t.Errorf("%s: tile %v, want %v", c.name, got, c.tile)
		}
		f := p.Footprint(s)
		if err := f.Fits(0); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestMNPUSimLoops(t *testing.T) {
	s := baseline(t, problem(space.Backward, 1000, 1000, 1000, 1<<20), handtuned.MNPUSim).Fixed
	if got, want := s.Ops[space.DX].Order, (space.Order{space.M, space.N, space.K}); got != want {
		t.Errorf("dx order %s, want rows, reduction, columns: %s", got, want)
	}
	if got, want := s.Ops[space.DW].Order, (space.Order{space.K, space.M, space.N}); got != want {
		t.Errorf("dw order %s, want rows, reduction, columns: %s", got, want)
	}
}

func TestIGOChoosesByShape(t *testing.T) {
	m, n := space.Order{space.M, space.N, space.K}, space.Order{space.N, space.M, space.K}
	for _, c := range []struct {
		m, n, k int64
		want    []space.Order
	}{
		{100, 100, 100, []space.Order{m, n}},
		{100, 399, 100, []space.Order{m, n}},
		{100, 100, 400, []space.Order{n}},
		{400, 100, 100, []space.Order{m}},
		{100, 400, 400, []space.Order{m}},
	} {
		b := baseline(t, problem(space.Backward, c.m, c.n, c.k, 1<<20), handtuned.IGO)
		var got []space.Order
		for _, f := range b.Families {
			if f.Shared != 1<<3 || f.MaxBurst != 1 || f.Ops[space.DX].Orders[0] != f.Ops[space.DW].Orders[0] {
				t.Errorf("%v: not interleaved tile by tile: %+v", c, f)
			}
			got = append(got, f.Ops[space.DX].Orders...)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%d %d %d: %s", c.m, c.n, c.k, d)
		}
	}
}

func TestSingleOperationsReduceToTiled(t *testing.T) {
	for _, pass := range []space.Pass{space.Forward, space.DWOnly} {
		p := problem(pass, 100, 30, 500, 1<<20)
		want := baseline(t, p, handtuned.Tiled).Families
		for _, name := range []string{handtuned.DXMajor, handtuned.DWMajor, handtuned.IGO} {
			if d := cmp.Diff(want, baseline(t, p, name).Families); d != "" {
				t.Errorf("%s %s: %s", pass, name, d)
			}
		}
	}
}

func TestDataflowFallsBack(t *testing.T) {
	p := problem(space.Backward, 100, 100, 100, 1<<20)
	p.HW.Dataflows[hardware.WS] = true
	if got := baseline(t, p, handtuned.Conventional).Fixed.Ops[space.DX].Dataflow; got != hardware.WS {
		t.Errorf("dataflow %s, want ws", got)
	}
}

// Fixed schedules are legal, two runs of one operation, keep one tile of each
// tensor, and fit wherever one-element tiles do.
func TestFixedSchedules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.Int64Range(1, 3000)
		p := problem(space.Pass(rapid.IntRange(0, 2).Draw(t, "pass")), dim.Draw(t, "m"), dim.Draw(t, "n"), dim.Draw(t, "k"),
			rapid.Int64Range(16, 1<<22).Draw(t, "spm"))
		p.HW.Cores = rapid.Int64Range(1, 8).Draw(t, "cores")
		p.HW.SharedSPM = rapid.Bool().Draw(t, "shared")
		for _, b := range handtuned.For(p) {
			if b.Fixed == nil {
				continue
			}
			if err := p.Legal(b.Fixed); err != nil {
				t.Fatalf("%s: %v", b.Name, err)
			}
			f := p.Footprint(b.Fixed)
			if err := f.Fits(0); err != nil {
				t.Fatalf("%s: %v", b.Name, err)
			}
			if p.Pass == space.Backward && !p.TwoRuns(b.Fixed) {
				t.Fatalf("%s: gradients are not two runs", b.Name)
			}
			for _, u := range f.Uses() {
				if u.Slots > 2 {
					t.Fatalf("%s: %s has %d slots, want one tile or two", b.Name, u.Region, u.Slots)
				}
			}
		}
	})
}
