package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// chromeTrace is what Perfetto reads of a trace: the JSON object format of the
// Chrome trace event format.
type chromeTrace struct {
	DisplayTimeUnit string
	TraceEvents     []traceEvent
	OtherData       map[string]any
}

type traceEvent struct {
	Name, Ph string
	Ts       *float64
	Dur      *float64
	Pid, Tid *int
	Args     map[string]any
}

// printed is the part of simulate's JSON that a trace shows too.
type printed struct {
	Layer, Pass, Schedule string
	Cost                  struct {
		Cycles        float64
		DRAMBytes     float64 `json:"dram_bytes"`
		ComputeCycles float64 `json:"compute_cycles"`
		SPMBytes      float64 `json:"spm_bytes"`
		Ops           float64
	}
	Causes map[string]float64 `json:"cycles_by_cause"`
}

// simulated runs simulate and returns its trace and what it prints.
func simulated(t *testing.T, args ...string) (chromeTrace, printed) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.json")
	code, stdout, stderr := execute(append([]string{"simulate", "--trace", path, "--format", "json"}, args...)...)
	if code != 0 || !strings.HasPrefix(stderr, "Timeline of ") {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var trace chromeTrace
	if err := json.Unmarshal(data, &trace); err != nil {
		t.Fatal(err)
	}
	var p printed
	if err := json.Unmarshal([]byte(stdout), &p); err != nil {
		t.Fatal(err)
	}
	return trace, p
}

// checkFormat holds events to the trace event format: complete events with a
// time and a duration that nest on their lane, counters, metadata.
func checkFormat(t *testing.T, trace *chromeTrace) {
	t.Helper()
	lanes := map[int]float64{}
	for i, e := range trace.TraceEvents {
		if e.Name == "" || e.Pid == nil || e.Ts == nil || *e.Ts < 0 {
			t.Fatalf("event %d has no name, process or time: %+v", i, e)
		}
		switch e.Ph {
		case "X":
			if e.Dur == nil || *e.Dur < 0 || e.Tid == nil || *e.Ts < lanes[*e.Tid]*(1-1e-9) {
				t.Fatalf("event %d overlaps the one before on its lane, or has no duration: %+v", i, e)
			}
			lanes[*e.Tid] = *e.Ts + *e.Dur
		case "C":
			if _, ok := e.Args["bytes"].(float64); !ok {
				t.Fatalf("counter %d has no figure: %+v", i, e)
			}
		case "M", "i":
		default:
			t.Fatalf("event %d has phase %q", i, e.Ph)
		}
	}
}

// figures adds up what the events show.
func figures(trace *chromeTrace) (end, array, waits, bytes, spm float64) {
	names := map[int]string{}
	for _, e := range trace.TraceEvents {
		switch {
		case e.Ph == "M" && e.Name == "thread_name":
			names[*e.Tid], _ = e.Args["name"].(string)
		case e.Ph == "C":
			spm = max(spm, e.Args["bytes"].(float64))
		case e.Ph == "X":
			end = max(end, *e.Ts+*e.Dur)
			switch names[*e.Tid] {
			case "array":
				array += *e.Dur
			case "stalls":
				waits += *e.Dur
			case "DMA in", "DMA out":
				bytes += e.Args["bytes"].(float64)
			}
		}
	}
	return end, array, waits, bytes, spm
}

// TestTraceHasThePrintedFigures: what a timeline shows adds up to the cost
// that simulate prints, and to that of the result.
func TestTraceHasThePrintedFigures(t *testing.T) {
	path := tuned(t, "--model", "resnet18", "--npu", "large", "--cores", "4")
	for _, args := range [][]string{
		{"--layer", "conv1"},
		{"--layer", "conv1", "--pass", "forward"},
		{"--layer", "layer2.0.conv1"},
		{"--layer", "layer4.1.conv2", "--schedule", "conventional"},
		{"--layer", "fc", "--schedule", "top-2"},
	} {
		trace, p := simulated(t, append([]string{path}, args...)...)
		checkFormat(t, &trace)
		end, array, waits, bytes, spm := figures(&trace)
		for _, f := range []struct {
			name      string
			got, want float64
		}{
			{"cycles", end, p.Cost.Cycles},
			{"array cycles", array, p.Cost.ComputeCycles},
			{"array and stalls", array + waits, p.Cost.Cycles},
			{"DRAM bytes", bytes, p.Cost.DRAMBytes},
			{"cycles said", trace.OtherData["cycles"].(float64), p.Cost.Cycles},
			{"operations said", trace.OtherData["ops"].(float64), p.Cost.Ops},
		} {
			if math.Abs(f.got-f.want) > 1e-9*f.want {
				t.Errorf("%v: %s: trace %v, printed %v", args, f.name, f.got, f.want)
			}
		}
		if spm <= 0 || spm > p.Cost.SPMBytes {
			t.Errorf("%v: the trace has %v bytes of SPM in use, the schedule %v", args, spm, p.Cost.SPMBytes)
		}
		var sum float64
		for _, cycles := range p.Causes {
			sum += cycles
		}
		if math.Abs(sum-p.Cost.Cycles) > 1e-9*sum {
			t.Errorf("%v: causes sum to %v of %v cycles", args, sum, p.Cost.Cycles)
		}
		if p.Layer != args[1] {
			t.Errorf("%v: it simulated %s", args, p.Layer)
		}
	}
}

// TestTraceIsRepeatable: the same schedule gives the same bytes.
func TestTraceIsRepeatable(t *testing.T) {
	path := tuned(t, "--model", "ncf")
	var traces [2]string
	for i := range traces {
		out := filepath.Join(t.TempDir(), "out.json")
		if code, _, stderr := execute("simulate", path, "--layer", "mlp.1", "--trace", out); code != 0 {
			t.Fatal(stderr)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		traces[i] = string(data)
	}
	if traces[0] != traces[1] {
		t.Error("two traces of one schedule differ")
	}
}
