package main

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"npu-tune": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "bad": bad},
	})
}

// exits runs npu-tune and checks its exit code: exits CODE ARGS...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits CODE ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := exitCode(ts, args[1:]); got != want {
		ts.Fatalf("exit code is %d, want %d", got, want)
	}
}

// bad runs npu-tune with bad input: it must exit with 2, print nothing but one
// line on stderr that contains the text, and write no result: bad TEXT ARGS...
func bad(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: bad TEXT ARGS...")
	}
	if got := exitCode(ts, args[1:]); got != exitUsage {
		ts.Fatalf("exit code is %d, want %d", got, exitUsage)
	}
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("stdout is %q, want nothing", out)
	}
	message := ts.ReadFile("stderr")
	if !strings.HasPrefix(message, "npu-tune: ") || strings.Count(message, "\n") != 1 {
		ts.Fatalf("stderr is %q, want one line that begins with npu-tune:", message)
	}
	if !strings.Contains(message, args[0]) {
		ts.Fatalf("stderr is %q, want it to contain %q", message, args[0])
	}
	if _, err := os.Stat(ts.MkAbs("best.json")); err == nil {
		ts.Fatalf("best.json was written")
	}
}

func exitCode(ts *testscript.TestScript, args []string) int {
	err := ts.Exec("npu-tune", args...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	ts.Check(err)
	return 0
}
