package exhaustive_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
	"github.com/npu-tune/npu-tune/space/rules"
)

// ruleSets are three that compilers impose. Layers that can be enumerated are
// small, so tiles are multiples of 4 where a compiler says 16; the next test
// has 16.
var ruleSets = []struct{ name, text string }{
	{"weight stationary, tiles of 4", `
rules:
  - dataflows: [ws]
    tile: {m: {multiple: 4}, n: {multiple: 4}, k: {multiple: 4}}
`},
	{"no partial sums in DRAM", `
rules:
  - partial_sums_in_dram: false
`},
	{"half the SPM reserved", `
rules:
  - reserved_spm: HALF
`},
}

// TestRuleSets holds proven optima under rule sets, as they are read from
// YAML, to enumeration.
func TestRuleSets(t *testing.T) {
	problems := uint64(40)
	if testing.Short() {
		problems = 6
	}
	for _, r := range ruleSets {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			fits := 0
			for seed := range problems {
				k := kind{passes: oneOp, most: 50e3}
				if seed%2 == 1 {
					k = kind{passes: twoOp, most: 60e3}
				}
				p, _ := k.draw(seed)
				if p.HW.HasDataflow(hardware.WS) && proves(t, &p, r.text) {
					fits++
				}
			}
			if fits < int(problems)/4 {
				t.Errorf("%d of %d problems have a schedule, want more to say something", fits, problems)
			}
		})
	}
}

// TestTilesOf16 is the first of the sets as compilers have it, on a layer
// where it matters.
func TestTilesOf16(t *testing.T) {
	p := space.Problem{Layer: models.Layer{M: 40, N: 2, K: 3}, Pass: space.Forward}
	p.HW = hardware.Params{Rows: 4, Cols: 4, BytesPerCycle: 2, DMALatency: 3, BytesIn: 1, BytesOut: 1, BytesAcc: 2, Cores: 1}
	p.HW.UnifiedSPM(400)
	const text = "rules: [{dataflows: [ws], tile: {m: {multiple: 16}, n: {multiple: 16}, k: {multiple: 16}}}]"
	if !proves(t, &p, text) {
		t.Error("nothing fits")
	}
}

// proves compares all objectives under rules, and reports whether anything
// fits.
func proves(t *testing.T, p *space.Problem, text string) bool {
	t.Helper()
	set, err := rules.Parse([]byte(half(p, text)), "test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, ok := rules.Combine(p.Pass, set.For("layer", p.Pass))
	if !ok {
		t.Fatal("the rules exclude each other")
	}
	want := enumerate(p, &c)
	for o := range search.NumObjectives {
		if err := holds(t, p, &c, o, want[o]); err != nil {
			t.Fatalf("%s: %v\nlayer %+v\nhardware %+v\nconstraints %+v", o, err, p.Layer, p.HW, c)
		}
	}
	return want != nothing()
}

// half writes half the problem's SPM for HALF.
func half(p *space.Problem, text string) string {
	return strings.ReplaceAll(text, "HALF", fmt.Sprint(max(1, p.HW.Pools[0].Bytes/2)))
}
