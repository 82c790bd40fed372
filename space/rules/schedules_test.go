package rules_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
	"github.com/npu-tune/npu-tune/space/handtuned/pytorchsim"
	"github.com/npu-tune/npu-tune/space/rules"
)

func layer(pass space.Pass, m, n, k int64) *space.Problem {
	return &space.Problem{Layer: models.Layer{M: m, N: n, K: k}, Pass: pass}
}

func TestPartialSchedules(t *testing.T) {
	mnk, mkn := space.Orders[0], space.Orders[1]
	for _, c := range []struct {
		name, text string
		p          *space.Problem
		want       space.Constraints
	}{
		{"interleaved", "{shared: [m], dx: {tile: {m: 64}, order: [m, n]}, dw: {dataflow: ws, hold: {dw: 0}}}", layer(space.Backward, 99, 99, 99),
			space.Constraints{Shared: 1 << 1, Ops: [space.NumOps]space.OpConstraints{
				space.DX: {Orders: []space.Order{mnk}, TileMultiple: [3]int64{64}, TileMax: [3]int64{64}},
				space.DW: {Orders: []space.Order{mnk, mkn}, Dataflows: []hardware.Dataflow{hardware.WS}, Hold: [3]uint8{1, 0, 0}},
			}}},
		{"bursts", "{shared: mnk, burst: 3}", layer(space.Backward, 9, 9, 9), space.Constraints{
			Shared: 1 << 3, MinBurst: 3, MaxBurst: 3, Ops: [space.NumOps]space.OpConstraints{
				space.DX: {Orders: []space.Order{mnk}}, space.DW: {Orders: []space.Order{mnk}},
			}}},
		{"by shape", "schedules: [{shape: 1x2x3, fwd: {order: kmn}}, {shape: 4x5x6, fwd: {order: mkn}}]", layer(space.Forward, 4, 5, 6),
			space.Constraints{Ops: [space.NumOps]space.OpConstraints{space.Fwd: {Orders: []space.Order{mkn}}}}},
		{"tiles of PyTorchSim", `{"4_6_5": {"TILE_M": 2, "TILE_N": 3, "TILE_K": 5}}`, layer(space.Backward, 4, 5, 6),
			space.Constraints{Ops: [space.NumOps]space.OpConstraints{
				space.DX: {TileMultiple: [3]int64{2, 5, 3}, TileMax: [3]int64{2, 5, 3}},
			}}},
	} {
		s, err := rules.ParseSchedules([]byte(c.text), "s.yaml")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		w, found := s.For([]string{"conv1"}, c.p)
		got, ok := rules.Combine(c.p.Pass, w.Requires)
		if d := cmp.Diff(c.want, got); d != "" || !found || !ok || w.Whole != nil {
			t.Errorf("%s: found %v, possible %v, %s", c.name, found, ok, d)
		}
		if _, found := s.For([]string{"conv1"}, layer(space.DWOnly, 7, 7, 7)); found {
			t.Errorf("%s: found for another pass", c.name)
		}
	}
}

// A schedule as results have it is whole, and is what it says.
func TestWholeSchedule(t *testing.T) {
	const text = `{"pass":"backward","shared":["m"],"dx":{"tile":{"m":8,"n":4,"k":2},"order":["m","n","k"],"hold":{"dy":3,"w":0,"dx":1},"dataflow":"os"},
		"dw":{"tile":{"m":8,"n":4,"k":6},"order":["m","k","n"],"hold":{"x":0,"dy":1,"dw":0},"dataflow":"is","cores":{"m":2,"n":1,"k":1}}}`
	var want space.Schedule
	if err := want.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	s, err := rules.ParseSchedules([]byte(text), "s.json")
	if err != nil {
		t.Fatal(err)
	}
	w, found := s.For([]string{""}, layer(space.Backward, 9, 9, 9))
	if !found || w.Whole == nil {
		t.Fatalf("found %v, whole %v", found, w.Whole)
	}
	if d := cmp.Diff(want, *w.Whole); d != "" {
		t.Error(d)
	}
}

func TestScheduleErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "want a mapping",
		"schedules: []":                     "no schedules",
		"{layer: a}":                        "the schedule says nothing",
		"schedules: [{layer: a}]":           "schedules[0] says nothing",
		"{dx: {tile: {m: 0}}}":              "dx.tile.m is 0",
		"{dx: {order: [m, m]}}":             `dx.order has "m", want each`,
		"{dx: {hold: {x: 1}}}":              "dx.hold.x is of a tensor that none",
		"{dx: {dataflow: oss}}":             `did you mean "os"`,
		"{fwd: {order: m}, dx: {order: m}}": "no pass has all of [fwd dx]",
		"{pass: forward, dx: {order: m}}":   "dx does not belong to the forward pass",
		"{shared: [m], fwd: {order: m}}":    "shared is m, want none",
		"{shape: 3x4, fwd: {order: m}}":     `shape is "3x4"`,
		"{fwd: {order: m}, brust: 3}":       `brust is unknown, did you mean "burst"?`,
		"{fwd: 3}":                          "fwd is 3, want a mapping",
	} {
		_, err := rules.ParseSchedules([]byte(text), "s.yaml")
		if !errors.Is(err, rules.ErrRules) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestDocumentedSchedules(t *testing.T) {
	doc, err := os.ReadFile("../../docs/schedules.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(doc), "```yaml\n")
	example, _, _ := strings.Cut(after, "```")
	s, err := rules.ParseSchedules([]byte(example), "example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, found := s.For([]string{"layer1.0.conv1"}, layer(space.Backward, 9, 9, 9)); !found {
		t.Error("the example's first schedule is not that of layer1.0.conv1")
	}
}

// Whatever a file holds, it is read or refused with the right error; what is
// read as whole is a schedule of its pass.
func FuzzParseSchedules(f *testing.F) {
	f.Add([]byte("schedules: [{layer: a*, shape: 1x2x3, shared: [m, n], burst: 2, dx: {tile: {m: 3}, order: mn, cores: {m: 2}}}]"))
	f.Add([]byte(`{"1_2_3": {"TILE_M": 1, "TILE_N": 1, "TILE_K": 1}}`))
	f.Add([]byte(`{"pass":"forward","fwd":{"tile":{"m":8,"n":4,"k":2},"order":["m","n","k"],"hold":{"x":3,"w":0,"y":2},"dataflow":"os"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := rules.ParseSchedules(data, "s.yaml")
		if err != nil {
			if !errors.Is(err, rules.ErrRules) && !errors.Is(err, pytorchsim.ErrTiles) {
				t.Errorf("%v wraps neither error", err)
			}
			return
		}
		for pass := range space.NumPasses {
			w, found := s.For([]string{"a"}, layer(pass, 1, 2, 3))
			if found && w.Whole != nil && w.Whole.Pass != pass {
				t.Errorf("a schedule of %s for the %s pass", w.Whole.Pass, pass)
			}
			rules.Combine(pass, w.Requires)
		}
	})
}
