package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/npu-tune/npu-tune/results"
	"github.com/npu-tune/npu-tune/space"
)

// TestEvaluateEditedResult: a result that somebody changed by hand is costed
// and checked again.
func TestEvaluateEditedResult(t *testing.T) {
	path := filepath.Join(t.TempDir(), "best.json")
	evaluate := func(edit func(*space.OpSchedule)) (code int, stdout, stderr string) {
		var out, errs bytes.Buffer
		if code := run([]string{"--model", "ncf", "--pass", "forward", "--strategy", "random", "--max-evals", "20", "--out", path}, &out, &errs); code != 0 {
			t.Fatalf("exit code %d: %s", code, &errs)
		}
		d, err := results.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		edit(&d.Jobs[0].Best.Schedule.Ops[space.Fwd])
		if err := d.Write(path); err != nil {
			t.Fatal(err)
		}
		out.Reset()
		errs.Reset()
		code = run([]string{"evaluate", path, "--format", "csv"}, &out, &errs)
		return code, out.String(), errs.String()
	}

	code, stdout, stderr := evaluate(func(*space.OpSchedule) {})
	if code != 0 || strings.Contains(stdout, ",false\n") || strings.Count(stdout, ",true\n") != 4 {
		t.Errorf("unchanged: exit code %d, %s\n%s", code, stderr, stdout)
	}
	code, stdout, stderr = evaluate(func(o *space.OpSchedule) { o.Tile = [space.NumDims]int64{1, 1, 1} })
	if code != 0 || strings.Count(stdout, ",false\n") != 1 {
		t.Errorf("other tiles: exit code %d, %s, want one cost that differs from the file's\n%s", code, stderr, stdout)
	}
	code, _, stderr = evaluate(func(o *space.OpSchedule) { o.Tile[space.M] = 1 << 40 })
	if code != exitUsage || !strings.Contains(stderr, "tile.m") {
		t.Errorf("a huge tile: exit code %d, %q, want %d and the field's name", code, stderr, exitUsage)
	}
	code, _, stderr = evaluate(func(o *space.OpSchedule) {
		o.Order, o.Hold[space.K] = space.Order{space.M, space.N, space.K}, 3
	})
	if code != exitUsage || !strings.Contains(stderr, "mlp.0 forward: illegal schedule") {
		t.Errorf("y held at k's loop: exit code %d, %q, want %d and the layer's name", code, stderr, exitUsage)
	}
}
