package main

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"github.com/npu-tune/npu-tune/results"
)

// endless is a GEMM with thousands of times the multiply-accumulates of the
// largest layer of GPT-3 175B, which takes minutes to prove.
const endless = "99991x99989x99971"

// mostLate is how long after a signal or its budget a run may go on in tests:
// much more than it takes, for machines that do much else at the same time.
const mostLate = 2 * time.Second

// TestInterruptInTheMiddle sends SIGINT in the middle of a proof: what is
// written has a schedule, a bound and a gap.
func TestInterruptInTheMiddle(t *testing.T) {
	out := filepath.Join(t.TempDir(), "best.json")
	start := time.Now()
	code, stdout, stderr := interrupted(t, "--gemm", endless, "--out", out)
	if late := time.Since(start); late > mostLate {
		t.Errorf("it went on for %s", late)
	}
	checkInterrupted(t, code, out, stdout, stderr)
	checkGaps(t, out)
}

// TestBudgetInTheMiddle is the same at the end of a budget, and with more than
// the optima asked for.
func TestBudgetInTheMiddle(t *testing.T) {
	const budget = 300 * time.Millisecond
	for _, more := range [][]string{{}, {"--why", "--sensitivity"}, {"--pareto"}} {
		out := filepath.Join(t.TempDir(), "best.json")
		var stdout, stderr bytes.Buffer
		start := time.Now()
		code := run(append([]string{"--gemm", endless, "--out", out, "--budget", budget.String()}, more...), &stdout, &stderr)
		if late := time.Since(start) - budget; late > mostLate {
			t.Errorf("%v: it went on for %s", more, late)
		} else {
			t.Logf("%v: %s late", more, late.Round(time.Millisecond))
		}
		if code != 0 {
			t.Fatalf("%v: exit code %d: %s", more, code, stderr.String())
		}
		if d := checkGaps(t, out); d.Search.Ended != results.OverBudget {
			t.Errorf("%v: ended %q, want %q", more, d.Search.Ended, results.OverBudget)
		}
	}
}

// checkGaps wants a schedule, a bound and a gap of every pass, and that not all
// are proven.
func checkGaps(t *testing.T, path string) *results.Document {
	t.Helper()
	d, err := results.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if d.Proven() {
		t.Error("all is proven: it did not end in the middle")
	}
	for i := range d.Jobs {
		j := &d.Jobs[i]
		if j.Best == nil || j.Found.Bound == nil || j.Found.Gap == nil || *j.Found.Gap < 0 || *j.Found.Gap >= 1 {
			t.Errorf("%s has best %v and found %+v, want a schedule, a bound and a gap", j.Name(), j.Best, j.Found)
		}
	}
	return d
}

// TestWorkersChangeNothing wants the same bytes from 1, 2 and 8 workers, and
// from a second run.
func TestWorkersChangeNothing(t *testing.T) {
	tune := func(args ...string) string {
		var stdout, stderr bytes.Buffer
		args = append(args, "--model", "ncf", "--out", "", "--format", "json", "--top", "5")
		if code := run(args, &stdout, &stderr); code != 0 {
			t.Fatalf("%v: exit code %d: %s", args, code, stderr.String())
		}
		return stdout.String()
	}
	for _, what := range [][]string{
		{}, {"--why", "--sensitivity"}, {"--objective", "edp"},
		{"--strategy", "genetic", "--max-evals", "500", "--pareto"}, {"--strategy", "random", "--max-evals", "500"},
		{"--max-evals", "20"}, // exhaustive search without a proof
	} {
		want := tune(append(what, "--workers", "1")...)
		for _, workers := range []string{"1", "2", "8"} {
			if tune(append(what, "--workers", workers)...) != want {
				t.Errorf("%v: %s workers print something else than 1", what, workers)
			}
		}
	}
}
