package main

import (
	"strings"
	"testing"
)

// TestInterruptStudy: Ctrl-C prints what is done, marked as partial.
func TestInterruptStudy(t *testing.T) {
	code, stdout, stderr := interrupted(t, "reproduce", "igo", "--npu", "large")
	if code != exitInterrupted {
		t.Errorf("exit code is %d, want %d", code, exitInterrupted)
	}
	if !strings.HasPrefix(stdout, "PARTIAL: stopped before all layers were done") {
		t.Errorf("stdout is %q, want it marked as partial", stdout)
	}
	if want := "npu-tune: interrupted: networks that were not finished are left out\n"; stderr != want {
		t.Errorf("stderr is %q, want %q", stderr, want)
	}
}
