package simulator_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/npu-tune/npu-tune/evaluator/cases/golden"
	"github.com/npu-tune/npu-tune/evaluator/simulator"
	"github.com/npu-tune/npu-tune/space"
)

// chrome is a trace as a viewer reads it.
type chrome struct {
	TraceEvents []struct {
		Name, Ph string
		Ts, Dur  float64
		Pid, Tid int
		Args     map[string]any
	}
	OtherData map[string]any
}

func traceOf(t *testing.T, p *space.Problem, s *space.Schedule, o simulator.TraceOptions) (chrome, []byte) {
	t.Helper()
	var b bytes.Buffer
	if _, err := simulator.New().WriteTrace(t.Context(), &b, p, s, o); err != nil {
		t.Fatal(err)
	}
	var c chrome
	dec := json.NewDecoder(bytes.NewReader(b.Bytes()))
	if err := dec.Decode(&c); err != nil {
		t.Fatalf("%v in %s", err, b.Bytes())
	}
	return c, b.Bytes()
}

// TestTraceFigures adds up what the trace shows of golden cases and compares
// it with their cost.
func TestTraceFigures(t *testing.T) {
	all, err := golden.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range all[:200] {
		tr, _ := traceOf(t, &c.Problem, &c.Schedule, simulator.TraceOptions{})
		lanes := map[int]string{}
		var end, array, dram, waits, spm float64
		ends := map[int]float64{}
		for _, e := range tr.TraceEvents {
			switch e.Ph {
			case "M":
				if e.Name == "thread_name" {
					lanes[e.Tid] = e.Args["name"].(string)
				}
			case "C":
				spm = max(spm, e.Args["bytes"].(float64))
			case "X":
				if e.Dur < 0 || e.Ts < ends[e.Tid]*(1-1e-9) {
					t.Errorf("case %d: %q on %s at %v for %v begins before %v", i, e.Name, lanes[e.Tid], e.Ts, e.Dur, ends[e.Tid])
				}
				ends[e.Tid] = e.Ts + e.Dur
				end = max(end, ends[e.Tid])
				switch lanes[e.Tid] {
				case "array":
					array += e.Dur
				case "stalls":
					waits += e.Dur
				case "DMA in", "DMA out":
					dram += e.Args["bytes"].(float64)
				default:
					t.Errorf("case %d: %q is on no lane", i, e.Name)
				}
			}
		}
		n := float64(c.Problem.Layer.Batches())
		for _, f := range []struct {
			name      string
			got, want float64
		}{
			{"end", end * n, c.Expect.Cycles},
			{"array", array * n, float64(c.Expect.ComputeCycles)},
			{"array and stalls", (array + waits) * n, c.Expect.Cycles},
			{"DMA bytes", dram * n, float64(c.Expect.DRAMBytes)},
			{"cycles said", tr.OtherData["cycles"].(float64), c.Expect.Cycles},
			{"bytes said", tr.OtherData["dram_bytes"].(float64), float64(c.Expect.DRAMBytes)},
		} {
			if !near(f.got, f.want) {
				t.Errorf("case %d: %s: trace %v, cost %v", i, f.name, f.got, f.want)
			}
		}
		if spm > float64(c.Expect.SPMBytes) || tr.OtherData["truncated"] != false {
			t.Errorf("case %d: SPM up to %v of %d bytes, truncated %v", i, spm, c.Expect.SPMBytes, tr.OtherData["truncated"])
		}
	}
}

func TestTraceTruncated(t *testing.T) {
	p, s := small(space.Backward), pair()
	whole, _ := traceOf(t, p, &s, simulator.TraceOptions{})
	tr, _ := traceOf(t, p, &s, simulator.TraceOptions{MaxEvents: 60})
	if n := len(tr.TraceEvents); n > 61 || n < 50 {
		t.Errorf("%d events with a limit of 60", n)
	}
	if last := tr.TraceEvents[len(tr.TraceEvents)-1]; last.Name != "trace truncated here" {
		t.Errorf("the last event is %q", last.Name)
	}
	notice, _ := tr.OtherData["notice"].(string)
	if tr.OtherData["truncated"] != true || !strings.Contains(notice, "the trace ends after") {
		t.Errorf("truncated is %v, notice %q", tr.OtherData["truncated"], notice)
	}
	if tr.OtherData["cycles"] != whole.OtherData["cycles"] {
		t.Errorf("truncation changed the cycles to %v from %v", tr.OtherData["cycles"], whole.OtherData["cycles"])
	}
}

func TestTraceRepeats(t *testing.T) {
	p, s := small(space.Backward), pair()
	_, a := traceOf(t, p, &s, simulator.TraceOptions{})
	_, b := traceOf(t, p, &s, simulator.TraceOptions{})
	if !bytes.Equal(a, b) {
		t.Error("two traces of one schedule differ")
	}
}

// failing is a writer that takes n bytes.
type failing struct{ n int }

var errDisk = errors.New("disk full")

func (f *failing) Write(b []byte) (int, error) {
	if f.n -= len(b); f.n < 0 {
		return 0, errDisk
	}
	return len(b), nil
}

func TestTraceErrors(t *testing.T) {
	p, s := small(space.Backward), pair()
	for _, n := range []int{0, 5000} {
		if _, err := simulator.New().WriteTrace(t.Context(), &failing{n}, p, &s, simulator.TraceOptions{}); !errors.Is(err, errDisk) {
			t.Errorf("a disk of %d bytes: error %v", n, err)
		}
	}
	p.HW.UnifiedSPM(64)
	if _, err := simulator.New().WriteTrace(t.Context(), &bytes.Buffer{}, p, &s, simulator.TraceOptions{}); !errors.Is(err, simulator.ErrCapacity) {
		t.Errorf("error %v, want ErrCapacity", err)
	}
}
