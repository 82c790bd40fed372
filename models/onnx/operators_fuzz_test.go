package onnx_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/npu-tune/npu-tune/models/onnx"
)

// program turns bytes into choices; it ends in zeros.
type program []byte

func (p *program) next(n int) int {
	if len(*p) == 0 {
		return 0
	}
	b := (*p)[0]
	*p = (*p)[1:]
	return int(b) % n
}

// numbers are what attributes and constants are made of: usual ones, and those
// that break things.
var numbers = []int64{1, 0, 2, 3, -1, 4, 7, -2, 8, 64, 1 << 31, -1 << 31, 1<<63 - 1, -1 << 63, 1 << 40, 5}

func (p *program) list() []int64 {
	list := make([]int64, p.next(6))
	for i := range list {
		list[i] = numbers[p.next(len(numbers))]
	}
	return list
}

// attributeNames are those that operators here read.
var attributeNames = []string{
	"axis", "axes", "perm", "pads", "strides", "dilations", "kernel_shape", "group", "auto_pad", "ceil_mode",
	"transA", "transB", "keepdims", "equation", "split", "starts", "ends", "blocksize", "to", "shape", "value_ints",
	"value_int", "start", "end", "output_shape", "output_padding", "hidden_size", "layout", "num_heads", "kv_num_heads",
	"q_num_heads", "batch_dims", "allowzero", "mode", "noop_with_empty_axes", "num_scan_inputs", "scan_input_axes", "K", "N",
	"linear_before_reset", "broadcast", "scales", "qkv_hidden_sizes", "k", "pooled_shape", "keep_aspect_ratio_policy",
	"output_height", "sample_size", "dtype", "body", "then_branch", "else_branch",
}

var operators = onnx.OperatorNames()

var texts = []string{"SAME_UPPER", "SAME_LOWER", "VALID", "ij,jk->ik", "bij,bkj->bik", "...i,i->...", "ii", "not_larger", "i,j,k->", ""}

func (p *program) attribute() attribute {
	a := attribute{name: attributeNames[p.next(len(attributeNames))]}
	switch p.next(5) {
	case 0:
		a.value = int(numbers[p.next(len(numbers))])
	case 1, 2:
		a.value = p.list()
	case 3:
		a.value = texts[p.next(len(texts))]
	default:
		a.value = 0.5
	}
	if strings.HasSuffix(a.name, "branch") || a.name == "body" {
		body := &graph{}
		body.integers("i")
		body.integers("c")
		p.nodes(body, []string{"i", "c", body.input("s", 2, 3)}, 3, "inner")
		a.value = body
	}
	return a
}

// nodes adds nodes that read what is there, and outputs.
func (p *program) nodes(g *graph, have []string, most int, prefix string) {
	for i := range 1 + p.next(most) {
		domain, op, foreign := strings.Cut(operators[p.next(len(operators))], ":")
		if !foreign {
			domain, op = "", domain
		}
		var in []string
		for range p.next(8) {
			if c := p.next(len(have) + 1); c == len(have) {
				in = append(in, "")
			} else {
				in = append(in, have[c])
			}
		}
		var attributes []attribute
		for range p.next(5) {
			attributes = append(attributes, p.attribute())
		}
		var out []string
		for k := range 1 + p.next(3) {
			out = append(out, fmt.Sprintf("%s%d.%d", prefix, i, k))
		}
		n := node(op, in, out, attributes...)
		n.text(7, domain)
		g.bytes(1, n)
		have = append(have, out...)
	}
	for range p.next(4) {
		g.output(have[p.next(len(have))])
	}
}

func (p *program) graph() *graph {
	g := &graph{}
	have := []string{
		g.input("x", 2, 3, "n", 8), g.input("y", 2, 3), g.input("z", "n"), g.integers("i", 1), g.weights("w", 4, 3, 3, 3),
		g.weights("v", 8, 4), g.weights("r", 1, 8, 2), g.scalar("one", 1), g.list("axes", 0, -1),
	}
	for i := range p.next(4) {
		have = append(have, g.list(fmt.Sprint("list", i), p.list()...))
	}
	p.nodes(g, have, 6, "v")
	return g
}

// Whatever nodes say, an import ends, in an error of ours or in a valid model.
func FuzzOperators(f *testing.F) {
	for i := range len(operators) {
		f.Add([]byte{0, 0, byte(i), 3, 0, 4, 5, 1, 1, 1, 1}, int64(0), int64(2))
		f.Add([]byte{1, 2, 4, 1, byte(i), 2, 0, 9, 0, 0, 0, byte(i), 2, 9, 5}, int64(3), int64(8))
	}
	f.Fuzz(func(t *testing.T, code []byte, batch, n int64) {
		p := program(code)
		im, err := onnx.Parse(p.graph().file(), "fuzz.onnx", onnx.Options{Batch: batch, Dims: map[string]int64{"n": n}})
		if err != nil {
			if !errors.Is(err, onnx.ErrONNX) && !errors.Is(err, onnx.ErrOption) {
				t.Errorf("error %v is neither %v nor %v", err, onnx.ErrONNX, onnx.ErrOption)
			}
			return
		}
		if err := im.Model.Validate(); err != nil {
			t.Error(err)
		}
	})
}
