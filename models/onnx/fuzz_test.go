package onnx_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/npu-tune/npu-tune/models/onnx"
)

// Whatever the bytes, an import ends, in an error of ours or in a valid model.
func FuzzParse(f *testing.F) {
	f.Add(transformer().file(), int64(2), int64(32))
	loop := &graph{}
	loop.weights("w", 7, 7)
	loop.bytes(1, node("Loop", []string{loop.scalar("trips", 5), "", loop.input("x", 2, 7)}, []string{"last", "all"}, attribute{"body", step(true)}))
	f.Add(loop.file(), int64(0), int64(0))
	nets := &graph{}
	nets.do("a", "ConvTranspose", []string{nets.input("x", 1, 4, "seq", 5), nets.weights("w", 4, 3, 3, 3)}, attribute{"strides", []int64{2, 2}})
	nets.do("b", "MaxPool", []string{"a"}, attribute{"kernel_shape", []int64{2, 2}}, attribute{"ceil_mode", 1})
	nets.do("c", "Reshape", []string{"b", nets.list("s", 0, 3, -1)})
	nets.do("d", "Einsum", []string{"c", nets.weights("v", 3, 9)}, attribute{"equation", "bij,ik->bkj"})
	nets.do("e", "LSTM", []string{"d", nets.weights("lw", 1, 8, 30), nets.weights("lr", 1, 8, 2)})
	f.Add(nets.file(), int64(3), int64(7))
	small, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "peers", "onnx", "*.onnx"))
	for _, path := range small {
		if data, err := os.ReadFile(path); err == nil && len(data) < 5000 {
			f.Add(data, int64(4), int64(0))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, batch, seq int64) {
		o := onnx.Options{Batch: batch}
		if seq != 0 {
			o.Dims = map[string]int64{"seq": seq}
		}
		im, err := onnx.Parse(data, "fuzz.onnx", o)
		if err != nil {
			if !errors.Is(err, onnx.ErrONNX) && !errors.Is(err, onnx.ErrOption) {
				t.Errorf("error %v is neither %v nor %v", err, onnx.ErrONNX, onnx.ErrOption)
			}
			return
		}
		if err := im.Model.Validate(); err != nil {
			t.Error(err)
		}
		if im.Model.MACs() <= 0 || im.Model.Parameters() < 0 {
			t.Errorf("%d MACs, %d parameters", im.Model.MACs(), im.Model.Parameters())
		}
	})
}
