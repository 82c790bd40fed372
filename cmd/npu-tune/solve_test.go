package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/npu-tune/npu-tune/evaluator/cases"
	"github.com/npu-tune/npu-tune/evaluator/cases/golden"
	"github.com/npu-tune/npu-tune/space"
)

// optimaFile writes so many of the golden problems to a file, with what an
// independent program found as the file that they come from has it.
func optimaFile(t *testing.T, most int) (path string, optima []golden.Optimum) {
	t.Helper()
	optima, err := golden.Optima()
	if err != nil {
		t.Fatal(err)
	}
	optima = optima[:min(most, len(optima))]
	var list []map[string]any
	for i := range optima {
		o := &optima[i]
		list = append(list, map[string]any{
			"layer": o.Problem.Layer, "hardware": o.Problem.HW, "pass": o.Problem.Pass.String(),
			"min": o.Min, "schedule_min_cycles": o.Fastest, "infeasible": o.Infeasible,
		})
	}
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "optima.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, optima
}

func solveJSON(t *testing.T, args ...string) ([]solvedWire, []byte) {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(append([]string{"solve", "--format", "json"}, args...), &out, &errs); code != 0 {
		t.Fatalf("%v: exit code %d: %s", args, code, errs.String())
	}
	var found []solvedWire
	if err := json.Unmarshal(out.Bytes(), &found); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return found, out.Bytes()
}

// TestSolveOptima holds the command to the optima that an independent program
// found by enumerating every schedule, and its costs to a second look.
func TestSolveOptima(t *testing.T) {
	path, optima := optimaFile(t, math.MaxInt)
	for _, c := range []struct {
		flag, value string
		want        func(*golden.Optimum) float64
	}{
		{"--objective", "latency", func(o *golden.Optimum) float64 { return o.Min.Cycles }},
		{"--objective", "traffic", func(o *golden.Optimum) float64 { return o.Min.DRAMBytes }},
		{"--objective", "energy", func(o *golden.Optimum) float64 { return o.Min.EnergyPJ }},
		{"--objective", "edp", func(o *golden.Optimum) float64 { return o.Min.EDP }},
		{"--objective", "spm", func(o *golden.Optimum) float64 { return o.Min.SPMBytes }},
		{"--family", "best-sequential", func(o *golden.Optimum) float64 {
			if o.Problem.Pass == space.Backward {
				return o.Min.SequentialCycles
			}
			return o.Min.Cycles
		}},
	} {
		found, _ := solveJSON(t, path, c.flag, c.value)
		if len(found) != len(optima) {
			t.Fatalf("%s: %d answers to %d problems", c.value, len(found), len(optima))
		}
		for i := range found {
			f, o := &found[i], &optima[i]
			if f.Pass != o.Problem.Pass.String() || !f.Proven || f.Infeasible != o.Infeasible {
				t.Errorf("%s: problem %d: %s, proven %v, infeasible %v, want %s, proven, infeasible %v",
					c.value, i, f.Pass, f.Proven, f.Infeasible, o.Problem.Pass, o.Infeasible)
				continue
			}
			if o.Infeasible {
				if f.Value != nil || f.Schedule != nil || string(f.Cost) != "null" {
					t.Errorf("%s: problem %d has no schedule, got %+v", c.value, i, f)
				}
				continue
			}
			if want := c.want(o); f.Value == nil || f.Bound == nil || math.Abs(*f.Value-want) > 1e-9*want || *f.Bound != *f.Value {
				t.Errorf("%s: problem %d: value %v, bound %v, want %v", c.value, i, f.Value, f.Bound, want)
			}
			checkCost(t, &o.Problem, f)
		}
	}
}

// checkCost costs a printed schedule once more.
func checkCost(t *testing.T, p *space.Problem, f *solvedWire) {
	t.Helper()
	one := cases.Case{Problem: *p, Schedule: *f.Schedule}
	got, err := costAll("analytic", []cases.Case{one}, []string{"printed"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := cases.EncodeCost(p.Pass, &got[0])
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, f.Cost) {
		t.Errorf("schedule costs %s, printed %s", text, f.Cost)
	}
}

// TestSolveWorkers wants the same bytes from any number of workers, and of
// random searches too.
func TestSolveWorkers(t *testing.T) {
	path, _ := optimaFile(t, 30)
	for _, search := range [][]string{{}, {"--strategy", "genetic", "--max-evals", "60"}, {"--family", "igo"}} {
		_, want := solveJSON(t, append(search, path, "--workers", "1")...)
		for _, workers := range []string{"2", "8"} {
			if _, got := solveJSON(t, append(search, path, "--workers", workers)...); !bytes.Equal(got, want) {
				t.Errorf("%v: %s workers print something else than 1", search, workers)
			}
		}
	}
}
