package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// message joins fields of the wire format.
func message(fields ...[]byte) []byte { return bytes.Join(fields, nil) }

func part(number protowire.Number, data []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), data)
}

func value(number protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), v)
}

// linear is an ONNX file of y[batch,4] = x[batch,8]·w[8,4].
func linear() []byte {
	text := func(s string) []byte { return []byte(s) }
	tensor := func(name string, dims ...[]byte) []byte {
		var shape []byte
		for _, d := range dims {
			shape = append(shape, part(1, d)...)
		}
		return message(part(1, text(name)), part(2, part(1, message(value(1, 1), part(2, shape)))))
	}
	batch := part(2, text("batch"))
	return message(
		value(1, 8),
		part(7, message(
			part(1, message(part(1, text("x")), part(1, text("w")), part(2, text("y")), part(3, text("fc")), part(4, text("MatMul")))),
			part(2, text("linear")),
			part(5, message(value(1, 8), value(1, 4), value(2, 1), part(8, text("w")), part(9, make([]byte, 8*4*4)))),
			part(11, tensor("x", batch, value(1, 8))),
			part(12, tensor("y", batch, value(1, 4))),
		)),
		part(8, value(2, 13)),
	)
}

func TestONNXFile(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("linear.onnx", linear(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   string
		code   int
		stdout string
		stderr string
	}{
		{"models convert linear.onnx --dim batch=6", 0, `m: 6, n: 4, k: 8`, "npu-tune: dimension batch = 6"},
		{"models convert linear.onnx --batch 5", 0, `m: 5, n: 4, k: 8`, "npu-tune: 1 layers"},
		{"models show linear.onnx --dim batch=6", 0, "dimension batch = 6", ""},
		{"models show linear.onnx", 2, "", "want --dim batch=N: cannot import ONNX linear.onnx"},
		{"--model linear.onnx", 2, "", "--model: want --dim batch=N: cannot import ONNX linear.onnx: the shapes of 1 nodes"},
		{"--model linear.onnx --dim bacth=6", 2, "", "bacth"},
		{"--model linear.onnx --seq 6", 2, "", "--seq: linear.onnx is a file (ONNX) that does not take it, want --batch N or --dim NAME=N"},
		{"--model linear.onnx --dim batch=6 --budget 1m", 0, "linear; small", "proven optimal"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(strings.Fields(c.args), &stdout, &stderr)
		if code != c.code || !strings.Contains(stdout.String(), c.stdout) || !strings.Contains(stderr.String(), c.stderr) {
			t.Errorf("%s: exit code %d, want %d; stdout %q, want %q; stderr %q, want %q", c.args, code, c.code, stdout.String(), c.stdout, stderr.String(), c.stderr)
		}
		if code == exitUsage && strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%s: stderr is %q, want one line", c.args, stderr.String())
		}
	}
	data, err := os.ReadFile(filepath.Join(".", "best.json"))
	if err != nil || !bytes.Contains(data, []byte(`"dims": {"batch": 6}`)) {
		t.Errorf("best.json does not hold the dimension: %v", err)
	}
	for size := range linear() {
		if err := os.WriteFile("cut.onnx", linear()[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		args := []string{"models", "convert", "cut.onnx", "--dim", "batch=6"}
		if code := run(args, &stdout, &stderr); code == exitFailure || code == exitUsage && strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("cut to %d bytes: exit code %d, stderr %q", size, code, stderr.String())
		}
	}
}
