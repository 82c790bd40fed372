package cases_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/cases"
	"github.com/npu-tune/npu-tune/space"
)

const forward = `{
	"layer": {"m": 8, "n": 4, "k": 2},
	"hardware": {"rows": 4, "cols": 4, "pipelined": true, "bytes_per_cycle": 2, "bytes_in": 2, "bytes_out": 2, "bytes_acc": 4,
		"energy": {"mac_pj": 1, "spm_pj_per_byte": 1, "dram_pj_per_byte": 1, "static_pj_per_cycle": 0}},
	"schedule": {"pass": "forward", "fwd": {"tile": {"m": 4, "n": 4, "k": 2}, "order": ["m", "n", "k"],
		"hold": {"x": 3, "w": 3, "y": 2}, "dataflow": "os"}},
	"expect": {"ops": 2, "traffic": {"x": {"read": 32, "write": 0}}, "dram_bytes": 1, "slots": {"x": 2}, "spm_bytes": 3,
		"compute_cycles": 4, "cycles": 5.5, "macs": 6, "spm_access_bytes": 7, "energy_pj": 8.5}}`

func TestDecode(t *testing.T) {
	for name, text := range map[string]string{"one": forward, "list": " [" + forward + "]"} {
		got, err := cases.Decode(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(got) != 1 || got[0].Problem.Layer.M != 8 || got[0].Schedule.Ops[space.Fwd].Tile != [3]int64{4, 4, 2} {
			t.Errorf("%s: %+v", name, got)
		}
		want := &evaluator.Cost{Ops: 2, DRAMBytes: 1, SPMBytes: 3, ComputeCycles: 4, Cycles: 5.5, MACs: 6, SPMAccessBytes: 7, EnergyPJ: 8.5}
		want.Traffic[space.X].Read = 32
		want.Slots[space.XRegion] = 2
		if d := cmp.Diff(want, got[0].Expect); d != "" {
			t.Errorf("%s: expect:\n%s", name, d)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"empty", forward, "", "unexpected end"},
		{"not an object", forward, "7", "cannot unmarshal number"},
		{"unknown field", `"layer"`, `"layr"`, `unknown field "layr"`},
		{"no layer", `"layer": {"m": 8, "n": 4, "k": 2},`, ``, "layer is missing"},
		{"null layer", `{"m": 8, "n": 4, "k": 2}`, `null`, "layer is null"},
		{"zero extent", `"m": 8`, `"m": 0`, "m is 0, want 1 to"},
		{"huge", `"m": 8, "n": 4, "k": 2`, `"m": 2147483648, "n": 2147483648, "k": 2147483648`, "overflows"},
		{"array", `"rows": 4`, `"rows": 0`, "rows"},
		{"bandwidth", `"bytes_per_cycle": 2`, `"bytes_per_cycle": 0`, "bytes_per_cycle"},
		{"schedule", `"pass": "forward"`, `"pass": "forwards"`, `want "forward"`},
		{"expect field", `"dram_bytes": 1,`, ``, "expect.dram_bytes is missing"},
		{"expect tensor", `"traffic": {"x"`, `"traffic": {"z"`, `expect.traffic has "z"`},
		{"expect region", `"slots": {"x"`, `"slots": {"z"`, `expect.slots has "z"`},
	} {
		_, err := cases.Decode(strings.NewReader(strings.Replace(forward, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
	_, err := cases.Decode(strings.NewReader("[" + forward + "," + strings.Replace(forward, `"x": 3`, `"dx": 3`, 1) + "]"))
	if err == nil || !strings.Contains(err.Error(), `cases[1]`) || !strings.Contains(err.Error(), `fwd.hold.dx is not known here`) {
		t.Errorf("wrong tensor in a list: %v", err)
	}
}

func TestDiff(t *testing.T) {
	want := evaluator.Cost{Ops: 2, Cycles: 1e6, EnergyPJ: 1}
	got := want
	got.Cycles *= 1 + 1e-10
	if d := cases.Diff(&got, &want); d != nil {
		t.Errorf("within tolerance: %v", d)
	}
	got.Traffic[space.GradY].Read = 1
	got.Slots[space.DYOfDW] = 3
	got.Cycles = math.NaN()
	diff := []string{"traffic.dy.read is 1, want 0", "slots.dy@dw is 3, want 0", "cycles is NaN, want 1e+06"}
	if d := cmp.Diff(diff, cases.Diff(&got, &want)); d != "" {
		t.Error(d)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(forward))
	f.Add([]byte(`[{}]`))
	f.Add([]byte(`[` + forward + `,null]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := cases.Decode(bytes.NewReader(b))
		if err != nil {
			return
		}
		text, err := json.Marshal(got)
		if err != nil {
			t.Fatalf("decoded what cannot be encoded: %v", err)
		}
		back, err := cases.Decode(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("encoded what cannot be decoded: %v\n%s", err, text)
		}
		if d := cmp.Diff(got, back); d != "" {
			t.Fatal(d)
		}
	})
}
