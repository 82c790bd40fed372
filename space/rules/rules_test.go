package rules_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
	"github.com/npu-tune/npu-tune/space/rules"
)

func parse(t *testing.T, text string) *rules.Set {
	t.Helper()
	s, err := rules.Parse([]byte(text), "c.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCombine(t *testing.T) {
	mnk, nmk := space.Orders[0], space.Orders[2]
	for _, c := range []struct {
		name, text string
		pass       space.Pass
		want       space.Constraints
	}{
		{"every field", `
rules:
  - orders: [mnk, nmk]
    dataflows: ws
    tile: {m: 16, n: {multiple: 8, max: 64}}
    hold: {x: [0, 1], y: 3}
    partial_sums_in_dram: false
    cores: [{m: 2}, {n: 4, k: 2}]
    reserved_spm: 4KiB
`, space.Forward, space.Constraints{
			Ops: [space.NumOps]space.OpConstraints{space.Fwd: {
				Orders: []space.Order{mnk, nmk}, Dataflows: []hardware.Dataflow{hardware.WS},
				Hold:         [3]uint8{space.N: 0b11, space.K: 0b1000},
				TileMultiple: [3]int64{16, 8, 0}, TileMax: [3]int64{16, 64, 0}, NoPartialSums: true,
			}},
			Partitions: [][3]uint16{{2, 1, 1}, {1, 4, 2}}, ReservedSPMBytes: 4096,
		}},
		{"two gradients", `
rules:
  - {interleaving: [coarse, fine], max_burst: 4, separate_dy: true}
  - {operations: dw, hold: {dy: 0}, tile: {k: {max: 7}}}
`, space.Backward, space.Constraints{
			Shared: 1<<1 | 1<<3, MaxBurst: 4, SeparateDY: true,
			Ops: [space.NumOps]space.OpConstraints{space.DW: {Hold: [3]uint8{space.K: 1}, TileMax: [3]int64{space.K: 7}}},
		}},
		{"nothing to interleave", "rules: [{interleaving: fine}, {interleaving: coarse}]", space.Forward, space.Constraints{}},
		{"rules meet", `
rules:
  - {orders: [mnk, nmk], tile: {m: {multiple: 4, max: 100}}, reserved_spm: 1kB}
  - {orders: [nmk, kmn], tile: {m: {multiple: 6, max: 50}}, reserved_spm: 24}
  - {passes: backward, orders: [kmn]}
  - {layers: other, dataflows: is}
`, space.Forward, space.Constraints{
			Ops: [space.NumOps]space.OpConstraints{space.Fwd: {
				Orders: []space.Order{nmk}, TileMultiple: [3]int64{12, 0, 0}, TileMax: [3]int64{50, 0, 0},
			}},
			ReservedSPMBytes: 1024,
		}},
	} {
		got, ok := rules.Combine(c.pass, parse(t, c.text).For("conv", c.pass))
		if d := cmp.Diff(c.want, got); d != "" || !ok {
			t.Errorf("%s: possible %v, %s", c.name, ok, d)
		}
	}
}

func TestLayers(t *testing.T) {
	s := parse(t, `
rules:
  - {layers: [layer1.*, fc], dataflows: ws}
  - {layers: "blocks/?/mlp", dataflows: is}
  - {layers: "*", dataflows: os}
`)
	for name, want := range map[string]int{
		"layer1.0.conv1": 2, "fc": 2, "fc2": 1, "blocks/3/mlp": 2, "blocks/33/mlp": 1, "": 1,
	} {
		if got := len(s.For(name, space.Forward)); got != want {
			t.Errorf("%q has %d requirements, want %d", name, got, want)
		}
	}
	if err := s.CheckLayers([]models.Layer{{Name: "layer1.x"}, {Name: "blocks/1/mlp"}}); err == nil || !strings.Contains(err.Error(), `"fc"`) {
		t.Errorf("a pattern without layer: %v", err)
	}
}

// Each clash is the smallest part, wherever other requirements stand.
func TestClash(t *testing.T) {
	p := space.Problem{Layer: models.Layer{M: 64, N: 64, K: 64}, Pass: space.Backward}
	p.HW = hardware.Params{Rows: 4, Cols: 4, BytesPerCycle: 1, BytesIn: 1, BytesOut: 1, BytesAcc: 1}
	p.HW.Dataflows[hardware.OS] = true
	possible := func(list []rules.Requirement) bool {
		c, ok := rules.Combine(p.Pass, list)
		if !ok {
			return false
		}
		_, err := space.NewSpace(&p, c)
		return err == nil
	}
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"orders", "rules: [{orders: mnk}, {reserved_spm: 1}, {orders: kmn}]",
			[]string{"rules[0].orders: mnk (line 1)", "rules[2].orders: kmn (line 1)"}},
		{"tile", "rules:\n- tile: {m: {max: 15}}\n- tile: {m: {multiple: 4}}\n- tile: {m: {multiple: 6}}\n- tile: {m: {multiple: 16}}",
			[]string{"rules[0].tile.m.max: 15 (line 2)", "rules[3].tile.m.multiple: 16 (line 5)"}},
		{"the array", "rules: [{dataflows: [ws, is]}, {orders: mnk}]", []string{"rules[0].dataflows: ws, is (line 1)"}},
		{"interleaving and orders", `
rules:
  - {interleaving: [medium, fine]}
  - {operations: dx, orders: [mnk, nkm]}
  - {operations: dw, orders: [knm, mkn]}
`, []string{"rules[0].interleaving: medium, fine (line 3)", "rules[1].orders: mnk, nkm (line 4)", "rules[2].orders: knm, mkn (line 5)"}},
	} {
		list := parse(t, c.text).For("l", p.Pass)
		if possible(list) {
			t.Errorf("%s: possible", c.name)
			continue
		}
		var got []string
		for _, r := range rules.Clash(list, possible) {
			got = append(got, r.String())
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                                   "want a mapping",
		"rules: []":                                          "no rules",
		"rules: 3":                                           "want a list",
		"rules: [{}]":                                        "c.yaml:1: invalid rules: rules[0] requires nothing",
		"rule: [{orders: mnk}]":                              `rule is unknown, did you mean "rules"?`,
		"rules:\n- orders: mnk\n  dataflw: ws":               `c.yaml:3: invalid rules: rules[0].dataflw is unknown, did you mean "dataflows"?`,
		"rules:\n- orders: mnk\n  orders: kmn":               "c.yaml:3",
		"rules: [{orders: mmk}]":                             `rules[0].orders has "mmk", want mnk`,
		"rules: [{orders: []}]":                              "is empty",
		"rules: [{tile: {m: 0}}]":                            "rules[0].tile.m is 0, want a whole number from 1",
		"rules: [{tile: {m: {multiple: -4}}}]":               "rules[0].tile.m.multiple is -4",
		"rules: [{tile: {q: 4}}]":                            "rules[0].tile.q is unknown, want m, n, k",
		"rules: [{hold: {w: 4}}]":                            `rules[0].hold.w has "4", want 0, 1, 2, 3`,
		"rules: [{hold: {y: 1}, passes: dw}]":                "rules[0].hold.y is of a tensor that none of the rule's operations touches",
		"rules: [{reserved_spm: 1.5}]":                       "rules[0].reserved_spm is 1.5, want bytes",
		"rules: [{reserved_spm: 3 KB}]":                      "want bytes",
		"rules: [{layers: '[a', orders: mnk}]":               "no pattern",
		"rules: [{passes: forwrd, orders: mnk}]":             `did you mean "forward"?`,
		"rules: [{operations: dx, passes: dw, orders: mnk}]": "none of the rule's passes has",
		"rules: [{max_burst: 0}]":                            "rules[0].max_burst is 0",
		"rules: [{cores: {m: 0}}]":                           "rules[0].cores.m is 0",
		"rules: [{partial_sums_in_dram: maybe}]":             "want true or false",
		"rules: [":                                           "c.yaml:1",
	} {
		_, err := rules.Parse([]byte(text), "c.yaml")
		if !errors.Is(err, rules.ErrRules) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// Whatever a file holds, it is read or refused with the right error, and what
// is read combines.
func FuzzParse(f *testing.F) {
	f.Add([]byte("rules: [{orders: mnk, tile: {m: {multiple: 16, max: 64}}, hold: {w: [0, 1]}, cores: {m: 2}}]"))
	f.Add([]byte("rules:\n- {layers: a*, interleaving: [fine], reserved_spm: 1KiB}\n- {max_burst: 3, separate_dy: true}"))
	f.Add([]byte("schedules: [{shape: 1x2x3, dx: {tile: {m: 3}, order: [m, n, k]}}]"))
	f.Add([]byte(`{"1_2_3": {"TILE_M": 1, "TILE_N": 1, "TILE_K": 1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := rules.Parse(data, "c.yaml")
		if err != nil {
			if !errors.Is(err, rules.ErrRules) {
				t.Errorf("%v does not wrap ErrRules", err)
			}
			return
		}
		for pass := range space.NumPasses {
			c, ok := rules.Combine(pass, s.For("a", pass))
			if ok && c.ReservedSPMBytes < 0 {
				t.Errorf("reserved %d", c.ReservedSPMBytes)
			}
		}
	})
}
