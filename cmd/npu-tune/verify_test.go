package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/npu-tune/npu-tune/evaluator/agree"
	"github.com/npu-tune/npu-tune/evaluator/cases"
	"github.com/npu-tune/npu-tune/evaluator/verify"
	"github.com/npu-tune/npu-tune/results"
	"github.com/npu-tune/npu-tune/space"
)

// execute runs a command line.
func execute(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return code, out.String(), errs.String()
}

// tuned writes a result of a small network and returns its path.
func tuned(t *testing.T, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "best.json")
	args = append([]string{"--strategy", "random", "--max-evals", "20", "--out", path}, args...)
	if code, _, stderr := execute(args...); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	return path
}

// edit changes a result file.
func edit(t *testing.T, path string, change func(*results.Document)) {
	t.Helper()
	d, err := results.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	change(d)
	if err := d.Write(path); err != nil {
		t.Fatal(err)
	}
}

// TestVerifyFindsWrongCosts: a figure changed by hand ends with the schedule
// as a case, which evaluate finds wrong too.
func TestVerifyFindsWrongCosts(t *testing.T) {
	path := tuned(t, "--model", "ncf")
	edit(t, path, func(d *results.Document) { d.Jobs[3].Best.Cost.Traffic[space.GradY].Read++ })
	code, stdout, stderr := execute("verify", path)
	want := fmt.Sprintf("%s: mlp.1 backward, best: stored cost is wrong", path)
	if code != exitFailure || !strings.Contains(stderr, want) || !strings.Contains(stderr, "traffic.dy.read is ") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit code %d, stderr %q, want %d and %q", code, stderr, exitFailure, want)
	}
	if strings.Count(stdout, " ok ") != 3 || strings.Count(stdout, "FAILED") != 1 {
		t.Errorf("the table is\n%s\nwant three checks that passed, then one that failed", stdout)
	}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	last := filepath.Join(t.TempDir(), "case.json")
	if err := os.WriteFile(last, []byte(lines[len(lines)-1]), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := execute("evaluate", last, "--format", "csv"); code != 0 || !strings.HasSuffix(stdout, ",false\n") {
		t.Errorf("evaluate: exit code %d, %s%s, want a cost that is not as in the file", code, stderr, stdout)
	}
	code, stdout, _ = execute("verify", path, "--format", "json", "--workers", "1")
	var document struct {
		Checks  []map[string]any
		Failure *failureJSON
	}
	if err := json.Unmarshal([]byte(stdout), &document); err != nil {
		t.Fatal(err)
	}
	if f := document.Failure; code != exitFailure || len(document.Checks) != 4 || f == nil || f.Layer != "mlp.1" || f.Pass != "backward" || f.Shrunk {
		t.Errorf("as JSON: exit code %d, %s", code, stdout)
	}
}

// TestVerifyFindsIllegalSchedules names what is wrong with them.
func TestVerifyFindsIllegalSchedules(t *testing.T) {
	for want, change := range map[string]func(*results.Document){
		"illegal schedule: fwd.hold.y": func(d *results.Document) {
			o := &d.Jobs[0].Best.Schedule.Ops[space.Fwd]
			o.Order, o.Hold[space.K] = space.Order{space.M, space.N, space.K}, 3
		},
		"bytes of SPM, over the capacity": func(d *results.Document) { d.NPU.SPMs[0].Bytes = 64 },
	} {
		path := tuned(t, "--model", "ncf", "--pass", "forward")
		edit(t, path, change)
		if code, _, stderr := execute("verify", path); code != exitFailure || !strings.Contains(stderr, want) {
			t.Errorf("exit code %d, stderr %q, want %d and %q", code, stderr, exitFailure, want)
		}
	}
}

// TestVerifyIsRepeatable: the table depends neither on the workers nor on the
// run; times are on stderr.
func TestVerifyIsRepeatable(t *testing.T) {
	path := tuned(t, "--model", "ncf")
	var first string
	for _, workers := range []string{"1", "4", "4"} {
		code, stdout, stderr := execute("verify", path, "--all", "--workers", workers, "--format", "json")
		if code != 0 || !strings.Contains(stderr, "schedules agree, checked in ") {
			t.Fatalf("exit code %d, %s", code, stderr)
		}
		if first == "" {
			first = stdout
		}
		if stdout != first {
			t.Errorf("%s workers print something else than 1", workers)
		}
	}
	if strings.Count(first, `"schedule": "conventional"`) != 8 {
		t.Error("--all does not check the conventional schedule of each pass")
	}
}

// TestVerifyShrinks says what it checked instead of the whole.
func TestVerifyShrinks(t *testing.T) {
	path := tuned(t, "--model", "resnet50", "--pass", "backward")
	code, stdout, stderr := execute("verify", path, "--max-ops", "20", "--max-macs", "2000", "--format", "csv")
	if code != 0 || !strings.Contains(stderr, " replayed whole and ") || strings.Contains(stdout, "FAILED") {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	if strings.Count(stdout, ",whole,") > 5 {
		t.Errorf("too many are whole:\n%s", stdout)
	}
}

// TestFailureThatWasShrunk prints the case last.
func TestFailureThatWasShrunk(t *testing.T) {
	path := tuned(t, "--model", "ncf", "--pass", "forward")
	d, err := results.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	list, _ := d.Cases()
	j := &d.Jobs[0]
	f := &verify.Failure{Case: list[0], Shrunk: true, Err: agree.ErrDisagree}
	var b bytes.Buffer
	if err := printChecks(&b, []checked{{subject: subject{j, d.Problem(j), results.Best, j.Best}}}, f, 0); err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(b.String(), "The smallest problem found that fails (")
	_, line, _ := strings.Cut(after, "\n")
	if got, err := cases.Decode(strings.NewReader(line)); !found || err != nil || got[0].Schedule != list[0].Schedule {
		t.Errorf("the output ends with %q: %v", line, err)
	}
}

// TestVerifyIsInterrupted stops checks that would take hours.
func TestVerifyIsInterrupted(t *testing.T) {
	path := tuned(t, "--model", "resnet50")
	code, stdout, stderr := interrupted(t, "verify", path, "--max-macs", fmt.Sprint(int64(1)<<60))
	if code != exitInterrupted || !strings.Contains(stderr, "npu-tune: interrupted: ") || !strings.Contains(stderr, " of 48 schedules are checked") {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
	if !strings.Contains(stdout, "Checked: ") {
		t.Errorf("stdout is %q", stdout)
	}
}
