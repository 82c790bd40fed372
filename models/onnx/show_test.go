package onnx_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/models/onnx"
)

// show prints a layer on a line: name, MxNxK, then what is not usual.
func show(l models.Layer) string {
	s := fmt.Sprintf("%s %dx%dx%d", l.Name, l.M, l.N, l.K)
	if l.Batch > 0 {
		s += fmt.Sprintf(" batch %d", l.Batch)
	}
	if l.Count > 0 {
		s += fmt.Sprintf(" count %d", l.Count)
	}
	if l.NoInputGrad {
		s += " leaf"
	}
	if l.Activations {
		s += " activations"
	}
	if c := l.Conv; c != nil {
		s += fmt.Sprintf(" image %dx%d to %dx%d by %dx%d stride %d,%d dilation %d,%d pad %d,%d",
			c.H, c.W, c.P, c.Q, c.R, c.S, c.StrideH, c.StrideW, c.DilationH, c.DilationW, c.PadH, c.PadW)
	}
	return s
}

func mustParse(t *testing.T, file []byte, o onnx.Options) *onnx.Import {
	t.Helper()
	im, err := onnx.Parse(file, "test.onnx", o)
	if err != nil {
		t.Fatal(err)
	}
	return im
}

func compare(t *testing.T, im *onnx.Import, want ...string) {
	t.Helper()
	var got []string
	for _, l := range im.Model.Layers {
		got = append(got, show(l))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("layers (-want +got):\n%s", diff)
	}
}
