package export_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/npu-tune/npu-tune/evaluator/simulator/gen"
	"github.com/npu-tune/npu-tune/results/export"
	"github.com/npu-tune/npu-tune/space"
)

// example is a schedule of a small problem.
type example struct {
	name string
	p    space.Problem
	s    space.Schedule
}

// kindOf says what makes a schedule different to a generator of code.
func kindOf(p *space.Problem, s *space.Schedule) string {
	name := s.Pass.String()
	if s.Pass == space.Backward {
		name += fmt.Sprintf(" %d shared", s.Shared)
		if p.BurstSteps(s) > 1 {
			name += " bursts"
		}
		if p.SharesDY(s) {
			name += " one dy"
		}
	}
	if p.Implicit() {
		name += " conv"
	}
	for _, op := range s.Pass.Ops() {
		if s.Ops[op].CoreCount() > 1 {
			return name + " cores"
		}
	}
	return name
}

// examples draws problems until there are n of each kind, or of most.
func examples(n int) []example {
	var list []example
	count := map[string]int{}
	for seed := range uint64(1500) {
		p, s := gen.Case(gen.Seeded(seed), gen.Options{MaxDim: 12, MaxOps: 200})
		kind := kindOf(&p, &s)
		if count[kind] == n {
			continue
		}
		count[kind]++
		list = append(list, example{fmt.Sprintf("%s (seed %d)", kind, seed), p, s})
	}
	return list
}

// need skips a test where a program is not installed.
func need(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Skipf("%s does not run here, so generated code is not run: %v %s", strings.Join(args, " "), err, out)
	}
}

// TestNumPy runs generated scripts, which check their results and traffic.
func TestNumPy(t *testing.T) {
	need(t, "python3", "-c", "import numpy")
	dir := t.TempDir()
	var all strings.Builder // one process: starting Python takes longer than a script
	list := examples(2)
	for i, e := range list {
		script, err := export.NumPy(&e.p, &e.s, e.name)
		if err != nil {
			t.Fatalf("%s: %v", e.name, err)
		}
		path := filepath.Join(dir, fmt.Sprintf("%d.py", i))
		if err := os.WriteFile(path, script, 0o644); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&all, "print(%q)\nexec(compile(open(%q).read(), %q, 'exec'), {})\n", e.name, path, path)
	}
	cmd := exec.Command("python3", "-")
	cmd.Stdin = strings.NewReader(all.String())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, tail(out))
	}
	if got := strings.Count(string(out), "agrees with the direct one"); got < len(list) {
		t.Errorf("%d results checked in %d scripts", got, len(list))
	}
	t.Logf("%d scripts", len(list))
}

func tail(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-25):], "\n")
}

// TestC compiles generated programs without a warning and runs them: they
// check their results and traffic.
func TestC(t *testing.T) {
	need(t, "cc", "--version")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, export.HeaderName), export.Header(), 0o644); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for i, e := range examples(1) {
		text, err := export.C(&e.p, &e.s, e.name)
		if errors.Is(err, export.ErrWidth) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", e.name, err)
		}
		path := filepath.Join(dir, fmt.Sprintf("%d.c", i))
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		binary := strings.TrimSuffix(path, ".c")
		if out, err := exec.Command("cc", "-std=c11", "-O0", "-Wall", "-Wextra", "-Werror", "-o", binary, path).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", e.name, err, tail(out))
		}
		out, err := exec.Command(binary).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "agrees with plain loops") {
			t.Fatalf("%s: %v\n%s", e.name, err, out)
		}
		checked++
	}
	if checked < 10 {
		t.Errorf("%d programs checked, want at least 10", checked)
	}
	t.Logf("%d programs", checked)
}
