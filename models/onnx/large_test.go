package onnx_test

import (
	"io"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/npu-tune/npu-tune/models/onnx"
)

// hollow is a file with gigabytes of weights in the middle, which it counts
// reads of.
type hollow struct {
	head, tail []byte
	gap        int64
	read       int64
}

func (h *hollow) size() int64 { return int64(len(h.head)) + h.gap + int64(len(h.tail)) }

func (h *hollow) ReadAt(p []byte, off int64) (int, error) {
	for i := range p {
		switch at := off + int64(i); {
		case at < int64(len(h.head)):
			p[i] = h.head[at]
		case at < int64(len(h.head))+h.gap:
			p[i] = 0
		case at < h.size():
			p[i] = h.tail[at-int64(len(h.head))-h.gap]
		default:
			return i, io.EOF
		}
		h.read++
	}
	return len(p), nil
}

// A file of gigabytes costs no more than its graph.
func TestLargeFile(t *testing.T) {
	const rows, columns = 1 << 15, 1 << 14
	const gap = int64(rows) * columns * 4 // 2 GiB of raw data
	var tensor, g graph
	tensor.number(1, rows)
	tensor.number(1, columns)
	tensor.number(2, float32Type)
	tensor.text(8, "w")
	tensor.message = protowire.AppendTag(tensor.message, 9, protowire.BytesType)
	tensor.message = protowire.AppendVarint(tensor.message, uint64(gap))
	g.do("y", "MatMul", []string{g.input("x", 2, rows), "w"})
	var tail graph
	tail.output("y")

	initializer := protowire.AppendTag(g.message, 5, protowire.BytesType)
	initializer = protowire.AppendVarint(initializer, uint64(int64(len(tensor.message))+gap))
	body := append(initializer, tensor.message...)
	file := protowire.AppendTag([]byte{8, 9}, 7, protowire.BytesType)
	file = protowire.AppendVarint(file, uint64(int64(len(body))+gap+int64(len(tail.message))))
	h := &hollow{head: append(file, body...), tail: tail.message, gap: gap}

	im, err := onnx.Read(h, h.size(), "large.onnx", onnx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, im, "y 2x16384x32768 leaf")
	if h.read > 1<<18 {
		t.Errorf("%d bytes read of %d, want the graph only", h.read, h.size())
	}
}
