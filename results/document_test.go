package results_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/evaluator/cases"
	"github.com/npu-tune/npu-tune/evaluator/cases/golden"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/results"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

var decodeGolden = sync.OnceValues(golden.Cases)

// goldenCases returns a list of its own.
func goldenCases(tb testing.TB) []cases.Case {
	tb.Helper()
	list, err := decodeGolden()
	if err != nil {
		tb.Fatal(err)
	}
	return slices.Clone(list)
}

// npu has separate SPMs, so that every part of the format occurs.
func npu() *hardware.NPU {
	all := []hardware.Dataflow{hardware.OS, hardware.WS, hardware.IS}
	return &hardware.NPU{
		Name: "npu", Description: "for tests", Array: hardware.Array{Rows: 4, Cols: 8, Pipelined: true}, Dataflows: all,
		ClockMHz: 1000, Cores: 2, MaxCores: 4, DRAMGBPerSPerCore: 12.5, DMALatency: 100, BytesIn: 2, BytesOut: 2, BytesAcc: 4,
		SPMs: []hardware.SPM{
			{Holds: []hardware.Role{hardware.Inputs, hardware.Weights}, Bytes: 4096},
			{Holds: []hardware.Role{hardware.Accumulators}, Bytes: 1 << 20},
		},
		Energy: hardware.Energy{MACPJ: 0.5, SPMPJPerByte: 2, DRAMPJPerByte: 64},
	}
}

// document reports a golden case as the best schedule of a run.
func document(c *cases.Case) *results.Document {
	best := search.Candidate{Schedule: c.Schedule, Cost: *c.Expect}
	worse := best
	worse.Cost.Cycles *= 2
	return results.New(&results.Run{
		Tool:  "npu-tune test",
		Model: results.Model{Name: "toy", Batch: 4, Notes: []string{"a note"}},
		NPU:   npu(),
		Search: results.Search{
			Pass: "training", Objective: "latency", Strategy: "auto", Evaluator: "analytic", Seed: 1, Ended: results.Complete,
		},
		Jobs: []results.JobInput{{
			Layers: []string{"conv1", "conv2"}, Count: 3, Problem: &c.Problem,
			Outcome: search.Outcome{
				Strategy: "exhaustive", Proven: true, Bound: best.Cost.Cycles,
				Top: []search.Candidate{best, worse}, Pareto: []search.Candidate{best}, ParetoProven: true,
				Stats: search.Stats{SpaceSize: 1e20, Evaluations: 12, Bounds: 34, Cut: 5, Infeasible: 6},
			},
			Baselines: []results.BaselineInput{
				{Name: "conventional", Best: &worse, Proven: true},
				{Name: "mnpusim", Reason: "9 bytes over"},
			},
		}},
	}, search.Latency)
}

func encode(tb testing.TB, d *results.Document) []byte {
	tb.Helper()
	data, err := d.Encode()
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func TestEncodeFollowsTheSchemaAndDecodesToItself(t *testing.T) {
	list := goldenCases(t)
	if testing.Short() {
		list = list[:50]
	}
	for i, c := range list[:min(len(list), 300)] {
		d := document(&c)
		data := encode(t, d)
		got, err := results.Decode(data)
		if err != nil {
			t.Fatalf("case %d: %v\n%s", i, err, data)
		}
		if diff := cmp.Diff(d, got); diff != "" {
			t.Fatalf("case %d: -written +read:\n%s", i, diff)
		}
		if again := encode(t, got); !bytes.Equal(data, again) {
			t.Fatalf("case %d: encoded again it differs", i)
		}
	}
}

func TestCasesExpectTheDocumentsOwnCosts(t *testing.T) {
	for _, c := range goldenCases(t)[:20] {
		list, names := document(&c).Cases()
		if len(list) != 1 || names[0] != "conv1 ×3 "+c.Schedule.Pass.String() {
			t.Fatalf("got %d cases, names %q", len(list), names)
		}
		if diff := cmp.Diff(c.Expect, list[0].Expect); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestSPMMapFillsTheBytesOfTheCost(t *testing.T) {
	for i, c := range goldenCases(t) {
		best := document(&c).Jobs[0].Best
		var runs [2]int64
		for _, r := range best.SPM {
			if r.Bytes != r.Slots*r.TileBytes*r.Copies {
				t.Fatalf("case %d: region %s has %d bytes, want slots × tile × copies = %d", i, r.Region, r.Bytes, r.Slots*r.TileBytes*r.Copies)
			}
			if r.OffsetBytes != runs[r.Run] {
				t.Fatalf("case %d: region %s begins at %d, want %d, behind the one before", i, r.Region, r.OffsetBytes, runs[r.Run])
			}
			runs[r.Run] += r.Bytes
		}
		if got := max(runs[0], runs[1]); got != c.Expect.SPMBytes {
			t.Fatalf("case %d: the map takes %d bytes, want spm_bytes = %d", i, got, c.Expect.SPMBytes)
		}
	}
}

func TestDecodeNamesTheField(t *testing.T) {
	base := string(encode(t, document(&goldenCases(t)[0])))
	edit := func(old, new string) string {
		if !strings.Contains(base, old) {
			t.Fatalf("%q is not in the document", old)
		}
		return strings.Replace(base, old, new, 1)
	}
	for _, c := range []struct{ name, data, want string }{
		{"empty", "", "not JSON"},
		{"truncated", base[:len(base)/2], "not JSON"},
		{"a list", "[]", "the document: got array, want object"},
		{"version", edit(`"schema": 1`, `"schema": 2`), "schema: value must be 1"},
		{"unknown field", edit(`"schema": 1`, `"schema": 1, "color": "red"`), "'color' not allowed"},
		{"pass", edit(`"pass": "backward"`, `"pass": "sideways"`), "pass: value must be one of"},
		{"count", edit(`"count": 3`, `"count": 0`), "jobs.0.count: minimum: got 0, want 1"},
		{"dimension", edit(`"m": 50,`, `"m": -50,`), "jobs.0.problem.m: minimum: got -50, want 1"},
		{"no multiple", edit(`"m": 50,`, `"m": 51,`), "m is 51, want a multiple of conv.p·conv.q = 25"},
		{"hold", edit(`"dy": 0`, `"dy": "all"`), "hold.dy: got string, want integer"},
		{"cost", edit(`"dram_bytes": 1116`, `"dram_bytes": 1116.5`), "dram_bytes: got number, want integer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := results.Decode([]byte(c.data))
			if !errors.Is(err, results.ErrDocument) {
				t.Fatalf("got %v, want ErrDocument", err)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %q, want it to say %q", err, c.want)
			}
		})
	}
}

func TestDecodeWantsSchedulesOfTheJobsPass(t *testing.T) {
	list := goldenCases(t)
	var forward, backward *cases.Case
	for i := range list {
		switch list[i].Schedule.Pass {
		case space.Forward:
			forward = &list[i]
		case space.Backward:
			backward = &list[i]
		}
	}
	d := document(backward)
	d.Jobs[0].Baselines[0].Solution = document(forward).Jobs[0].Best
	_, err := results.Decode(encode(t, d))
	const want = "jobs[0]: baselines[0].solution.schedule.pass is forward, want the job's, backward"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestIsDocument(t *testing.T) {
	c := goldenCases(t)[0]
	one, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for data, want := range map[string]bool{
		string(encode(t, document(&c))): true,
		`{"schema": 7}`:                 true,
		string(one):                     false,
		"[" + string(one) + "]":         false,
		"":                              false,
		"{":                             false,
	} {
		if got := results.IsDocument([]byte(data)); got != want {
			t.Errorf("IsDocument(%.30q) = %v", data, got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, c := range goldenCases(f)[:3] {
		f.Add(encode(f, document(&c)))
	}
	f.Add([]byte(`{"schema": 1, "jobs": []}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := results.Decode(data)
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Error("an error without words")
			}
			return
		}
		// What was read can be written, and is the same then.
		again, err := results.Decode(encode(t, d))
		if err != nil {
			t.Fatalf("written again: %v", err)
		}
		if diff := cmp.Diff(d, again); diff != "" {
			t.Error(diff)
		}
	})
}
