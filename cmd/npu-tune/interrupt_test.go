package main

import (
	"bytes"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/npu-tune/npu-tune/results"
)

// TestInterrupt sends SIGINT to a run that would take hours: the best so far
// is printed and written, and the exit code is 130.
func TestInterrupt(t *testing.T) {
	out := filepath.Join(t.TempDir(), "best.json")
	code, stdout, stderr := interrupted(t, "--model", "resnet50", "--strategy", "random", "--npu", "large", "--out", out)
	checkInterrupted(t, code, out, stdout, stderr)
}

// interrupted sends SIGINT to a command line until it ends.
func interrupted(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	// The test catches signals too, so that one that comes before the run
	// listens does not end the test.
	signals := make(chan os.Signal, 64)
	signal.Notify(signals, syscall.SIGINT)
	defer signal.Stop(signals)

	var out, errs bytes.Buffer
	ended := make(chan int)
	go func() { ended <- run(args, &out, &errs) }()
	deadline := time.After(time.Minute)
	for {
		select {
		case code := <-ended:
			return code, out.String(), errs.String()
		case <-time.After(100 * time.Millisecond):
			if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
		case <-deadline:
			t.Fatal("it did not stop within a minute")
		}
	}
}

func checkInterrupted(t *testing.T, code int, out, stdout, stderr string) {
	t.Helper()
	if code != exitInterrupted {
		t.Errorf("exit code is %d, want %d", code, exitInterrupted)
	}
	if !strings.HasPrefix(stderr, "npu-tune: interrupted: these are the best schedules so far, ") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("stderr is %q", stderr)
	}
	if !strings.Contains(stdout, "NOT PROVEN") {
		t.Error("the tables are not marked unproven")
	}
	d, err := results.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	if d.Search.Ended != results.Interrupted || d.Proven() {
		t.Errorf("ended %q, proven %v, want interrupted and unproven", d.Search.Ended, d.Proven())
	}
	for i := range d.Jobs {
		if d.Jobs[i].Best == nil {
			t.Errorf("%s has no schedule, want a hand-tuned one at least", d.Jobs[i].Name())
		}
	}
}
