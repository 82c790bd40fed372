package onnx_test

import (
	"testing"

	"github.com/npu-tune/npu-tune/models/onnx"
)

// Small graphs and the layers that they hold; each is written by its build.
func TestGraphs(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(g *graph)
		o     onnx.Options
		want  []string
	}{
		{"constant weights fold the batch into M", func(g *graph) {
			g.do("y", "MatMul", []string{g.input("x", 2, 3, 5, 7), g.weights("w", 7, 11)})
		}, onnx.Options{}, []string{"y 30x11x7 leaf"}},
		{"weights on the left are transposed", func(g *graph) {
			g.do("y", "MatMul", []string{g.weights("w", 11, 7), g.input("x", 4, 7, 3)})
		}, onnx.Options{}, []string{"y 12x11x7 leaf"}},
		{"weights per head are batch", func(g *graph) {
			g.do("y", "MatMul", []string{g.input("x", 2, 4, 5, 7), g.weights("w", 4, 7, 3)})
		}, onnx.Options{}, []string{"y 10x3x7 batch 4 leaf"}},
		{"one operand for several columns", func(g *graph) {
			g.do("y", "MatMul", []string{g.input("x", 5, 7), g.weights("w", 4, 7, 3)})
		}, onnx.Options{}, []string{"y 5x12x7 leaf"}},
		{"vectors", func(g *graph) {
			g.do("y", "MatMul", []string{g.input("x", 7), g.weights("w", 7, 3)})
			g.do("z", "MatMul", []string{"y", g.weights("v", 3)})
		}, onnx.Options{}, []string{"y 1x3x7 leaf", "z 1x1x3"}},
		{"weights behind a transpose", func(g *graph) {
			g.do("wt", "Transpose", []string{g.weights("w", 11, 7)})
			g.do("y", "MatMul", []string{g.input("x", 2, 7), "wt"})
		}, onnx.Options{}, []string{"y 2x11x7 leaf"}},
		{"Gemm of transposed operands", func(g *graph) {
			g.do("y", "Gemm", []string{g.input("x", 7, 2), g.weights("w", 11, 7), g.weights("b", 11)},
				attribute{"transA", 1}, attribute{"transB", 1})
		}, onnx.Options{}, []string{"y 2x11x7 leaf"}},
		{"two activations", func(g *graph) {
			g.do("q", "MatMul", []string{g.input("x", 2, 8, 5, 7), g.weights("w", 7, 16)})
			g.do("k", "Transpose", []string{"q"}, attribute{"perm", []int64{0, 1, 3, 2}})
			g.do("s", "MatMul", []string{"q", "k"})
		}, onnx.Options{}, []string{"q 80x16x7 leaf", "s 5x5x16 batch 16 activations"}},
		{"strided convolution, asymmetric padding, groups", func(g *graph) {
			g.do("y", "Conv", []string{g.input("x", 2, 4, 9, 7), g.weights("w", 6, 2, 3, 2)},
				attribute{"group", 2}, attribute{"strides", []int64{2, 1}}, attribute{"pads", []int64{1, 0, 0, 1}})
		}, onnx.Options{}, []string{"y 56x3x12 batch 2 leaf image 9x7 to 4x7 by 3x2 stride 2,1 dilation 1,1 pad 1,0"}},
		{"automatic padding, more of it above", func(g *graph) {
			g.do("y", "Conv", []string{g.input("x", 1, 1, 8, 8), g.weights("w", 1, 1, 4, 4)}, attribute{"auto_pad", "SAME_LOWER"})
		}, onnx.Options{}, []string{"y 64x1x16 leaf image 8x8 to 8x8 by 4x4 stride 1,1 dilation 1,1 pad 2,2"}},
		{"automatic padding, more of it below", func(g *graph) {
			g.do("y", "Conv", []string{g.input("x", 1, 1, 8, 8), g.weights("w", 1, 1, 4, 4)},
				attribute{"auto_pad", "SAME_UPPER"}, attribute{"strides", []int64{2, 2}})
		}, onnx.Options{}, []string{"y 16x1x16 leaf image 8x8 to 4x4 by 4x4 stride 2,2 dilation 1,1 pad 1,1"}},
		{"dilation, one axis", func(g *graph) {
			g.do("y", "Conv", []string{g.input("x", 2, 3, 20), g.weights("w", 5, 3, 4)}, attribute{"dilations", []int64{3}})
		}, onnx.Options{}, []string{"y 22x5x12 leaf image 1x20 to 1x11 by 1x4 stride 1,1 dilation 1,3 pad 0,0"}},
		{"three axes: an image per depth", func(g *graph) {
			g.do("y", "Conv", []string{g.input("x", 2, 3, 6, 5, 4), g.weights("w", 7, 3, 2, 3, 3)})
		}, onnx.Options{}, []string{"y 60x7x54 leaf image 5x4 to 3x2 by 3x3 stride 1,1 dilation 1,1 pad 0,0"}},
		{"transposed convolution", func(g *graph) {
			g.do("y", "ConvTranspose", []string{g.input("x", 2, 6, 5, 4), g.weights("w", 6, 4, 3, 3)},
				attribute{"group", 2}, attribute{"strides", []int64{2, 2}}, attribute{"output_padding", []int64{1, 0}})
			g.do("z", "Conv", []string{"y", g.weights("v", 1, 8, 1, 1)})
		}, onnx.Options{}, []string{
			"y 40x36x3 batch 2 leaf",
			"z 216x1x8 image 12x9 to 12x9 by 1x1 stride 1,1 dilation 1,1 pad 0,0",
		}},
		{"LSTM of two directions: the first state is zero", func(g *graph) {
			g.do("y", "LSTM", []string{g.input("x", 9, 2, 5), g.weights("w", 2, 24, 5), g.weights("r", 2, 24, 6), g.weights("b", 2, 48)},
				attribute{"hidden_size", 6}, attribute{"direction", "bidirectional"})
		}, onnx.Options{}, []string{
			"y.input 18x48x5 leaf",
			"y.recurrent.first 2x24x6 batch 2 leaf",
			"y.recurrent 2x24x6 batch 2 count 8 activations",
		}},
		{"GRU whose candidate multiplies the gated state", func(g *graph) {
			g.do("y", "GRU", []string{g.input("x", 4, 2, 5), g.weights("w", 1, 18, 5), g.weights("r", 1, 18, 6)}, attribute{"hidden_size", 6})
		}, onnx.Options{}, []string{
			"y.input 8x18x5 leaf",
			"y.recurrent.first 2x12x6 leaf",
			"y.recurrent 2x12x6 count 3 activations",
			"y.candidate 2x6x6",
			"y.candidate#2 2x6x6 count 3 activations",
		}},
		{"RNN of one step, batch first", func(g *graph) {
			g.do("y", "RNN", []string{g.input("x", 2, 1, 5), g.weights("w", 1, 6, 5), g.weights("r", 1, 6, 6)}, attribute{"layout", 1})
		}, onnx.Options{}, []string{"y.input 2x6x5 leaf", "y.recurrent 2x6x6 leaf"}},
		{"batch of named inputs", func(g *graph) {
			g.do("y", "MatMul", []string{g.input("x", "n", 7), g.weights("w", 7, 3)})
			g.do("z", "MatMul", []string{g.input("v", "m", 7), "w"})
		}, onnx.Options{Batch: 8, Dims: map[string]int64{"m": 2}}, []string{"y 8x3x7 leaf", "z 2x3x7 leaf activations"}},
		{"dimension without a name", func(g *graph) {
			g.do("y", "MatMul", []string{g.input("x", "", 7), g.weights("w", 7, 3)})
		}, onnx.Options{Dims: map[string]int64{"x[0]": 5}}, []string{"y 5x3x7 leaf"}},
		{"dimension by an expression", func(g *graph) {
			g.do("y", "MatMul", []string{g.input("x", "2*(n + 1) - n//2", 7), g.weights("w", 7, 3)})
		}, onnx.Options{Dims: map[string]int64{"n": 5}}, []string{"y 10x3x7 leaf"}},
		{"nothing cached yet", func(g *graph) {
			g.do("k", "Concat", []string{g.input("past", 1, "p", 4), g.input("x", 1, 3, 4)}, attribute{"axis", 1})
			g.do("y", "MatMul", []string{"k", g.weights("w", 4, 2)})
			g.do("z", "MatMul", []string{"past", g.weights("v", 4, 2)})
		}, onnx.Options{Dims: map[string]int64{"p": 0}}, []string{"y 3x2x4 leaf"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &graph{}
			c.build(g)
			compare(t, mustParse(t, g.file(), c.o), c.want...)
		})
	}
}

// A fixed batch is replaced everywhere that the file fixes it, also in the
// shapes of Reshape, wherever it stands there: first, behind the tokens, before
// the heads, or within a product of them.
func TestBatchReplaced(t *testing.T) {
	const tokens, heads, width = 12, 8, 5
	for _, batch := range []int64{1, 2, 3, tokens} {
		g := &graph{}
		g.do("first", "Transpose", []string{g.input("x", int(batch), tokens, heads*width)}, attribute{"perm", []int64{1, 0, 2}})
		g.do("rows", "Reshape", []string{"first", g.list("s1", tokens*batch, heads*width)})
		g.do("q.rows", "MatMul", []string{"rows", g.weights("w", heads*width, heads*width)})
		g.do("q.tokens", "Reshape", []string{"q.rows", g.list("s2", tokens, batch, heads*width)})
		g.do("q.heads", "Reshape", []string{"q.tokens", g.list("s3", tokens, batch*heads, width)})
		g.do("q", "Transpose", []string{"q.heads"}, attribute{"perm", []int64{1, 0, 2}})
		g.do("k", "Transpose", []string{"q.heads"}, attribute{"perm", []int64{1, 2, 0}})
		g.do("scores", "MatMul", []string{"q", "k"})
		g.do("context", "MatMul", []string{"scores", "q"})
		g.do("c.heads", "Reshape", []string{"context", g.list("s4", batch, heads, tokens, width)})
		g.do("c.tokens", "Transpose", []string{"c.heads"}, attribute{"perm", []int64{2, 0, 1, 3}})
		g.do("c.rows", "Reshape", []string{"c.tokens", g.list("s5", tokens*batch, -1)})
		g.do("y", "MatMul", []string{"c.rows", g.weights("v", heads*width, 3)})
		g.do("images", "Transpose", []string{g.do("y.tokens", "Reshape", []string{"y", g.list("s6", tokens, batch, 3)})},
			attribute{"perm", []int64{1, 0, 2}})
		g.do("flat", "Reshape", []string{"images", g.list("s7", batch, -1)})
		g.do("z", "MatMul", []string{"flat", g.weights("u", 3*tokens, 2)})
		im := mustParse(t, g.file(), onnx.Options{Batch: 6})
		compare(t, im,
			"q.rows 72x40x40 leaf", "scores 12x12x5 batch 48 activations", "context 12x5x12 batch 48 activations",
			"y 72x3x40", "z 6x2x36")
		if len(im.Report.Notes) != 1 {
			t.Errorf("batch of %d: notes %q, want one on the shapes that were scaled", batch, im.Report.Notes)
		}
	}
}

// Inputs that do not begin with the batch stay as they are, and this is said.
func TestBatchOfSomeInputs(t *testing.T) {
	g := &graph{}
	g.do("y", "MatMul", []string{g.input("x", 1, 7), g.weights("w", 7, 3)})
	g.do("z", "MatMul", []string{g.input("state", 4, 7), g.weights("v", 7, 3)})
	im := mustParse(t, g.file(), onnx.Options{Batch: 6})
	compare(t, im, "y 6x3x7 leaf", "z 4x3x7 leaf")
	if len(im.Report.Notes) != 1 {
		t.Errorf("notes %q, want one on the input that keeps its dimension", im.Report.Notes)
	}
}

// Shapes as exporters compute them: Shape, Gather, arithmetic, Concat, Reshape.
func TestShapeArithmetic(t *testing.T) {
	g := &graph{}
	g.do("shape", "Shape", []string{g.input("x", "batch", "seq", 64)})
	for i, name := range []string{"b", "s"} {
		g.do(name, "Gather", []string{"shape", g.scalar("at."+name, int64(i))}, attribute{"axis", 0})
		g.do(name+".1", "Unsqueeze", []string{name, g.list("axes."+name, 0)})
	}
	g.do("rows", "Mul", []string{"b", "s"})
	g.do("rows.1", "Unsqueeze", []string{"rows", "axes.b"})
	g.do("last", "Slice", []string{"shape", g.list("from", -1), g.list("to", 9223372036854775807), g.list("axis", 0)})
	g.do("width", "Div", []string{"last", g.list("heads", 4)})
	g.do("target", "Concat", []string{"b.1", "s.1", "heads", "width"}, attribute{"axis", 0})
	g.do("split", "Reshape", []string{"x", "target"})
	g.do("flat.target", "Concat", []string{"rows.1", g.list("left", -1)}, attribute{"axis", 0})
	g.do("flat", "Reshape", []string{"split", "flat.target"})
	g.do("y", "MatMul", []string{"flat", g.weights("w", 64, 3)})
	g.do("h", "Transpose", []string{"split"}, attribute{"perm", []int64{0, 2, 1, 3}})
	g.do("ht", "Transpose", []string{"split"}, attribute{"perm", []int64{0, 2, 3, 1}})
	g.do("z", "MatMul", []string{"h", "ht"})
	im := mustParse(t, g.file(), onnx.Options{Dims: map[string]int64{"batch": 2, "seq": 10}})
	compare(t, im, "y 20x3x64 leaf", "z 10x10x16 batch 8 activations")
	want := []onnx.DimUse{{Name: "batch", Value: 2}, {Name: "seq", Value: 10}}
	if len(im.Report.Dims) != 2 || im.Report.Dims[0] != want[0] || im.Report.Dims[1] != want[1] {
		t.Errorf("dims %v, want %v", im.Report.Dims, want)
	}
}

// Einsum where it is a matmul.
func TestEinsum(t *testing.T) {
	for _, c := range []struct {
		equation string
		shapes   [][]any
		want     []string
	}{
		{"bhqd,bhkd->bhqk", [][]any{{2, 4, 5, 8}, {2, 4, 7, 8}}, []string{"y 5x7x8 batch 8 activations"}},
		{"bhqk,bhkd->bhqd", [][]any{{2, 4, 5, 7}, {2, 4, 7, 8}}, []string{"y 5x8x7 batch 8 activations"}},
		{"...ij,...jk->...ik", [][]any{{2, 4, 5, 7}, {4, 7, 8}}, []string{"y 10x8x7 batch 4 activations"}},
		{"...ij, ...jk", [][]any{{6, 5, 7}, {6, 7, 8}}, []string{"y 5x8x7 batch 6 activations"}},
		{"bij,ijc->bc", [][]any{{2, 3, 4}, {3, 4, 5}}, []string{"y 2x5x12 activations"}},
		{"bsi,io->bso", [][]any{{2, 3, 4}, {4, 5}}, []string{"y 6x5x4 activations"}},
		{"ij,jk,kl->il", [][]any{{2, 3}, {3, 4}, {4, 5}}, []string{"y.0 2x4x3 activations", "y.1 2x5x4 activations"}},
		{"ijx,jk->ik", [][]any{{2, 3, 9}, {3, 4}}, []string{"y 2x4x3 activations"}}, // x is summed first
	} {
		g := &graph{}
		var in []string
		for i, s := range c.shapes {
			in = append(in, g.input(string(rune('a'+i)), s...))
		}
		g.do("y", "Einsum", in, attribute{"equation", c.equation})
		t.Run(c.equation, func(t *testing.T) { compare(t, mustParse(t, g.file(), onnx.Options{}), c.want...) })
	}
}

// An outer product and a product of vectors multiply no matrices.
func TestEinsumWithoutReduction(t *testing.T) {
	g := &graph{}
	g.do("outer", "Einsum", []string{g.input("a", 3), g.input("b", 4)}, attribute{"equation", "i,j->ij"})
	g.do("y", "MatMul", []string{"outer", g.weights("w", 4, 2)})
	im := mustParse(t, g.file(), onnx.Options{})
	compare(t, im, "y 3x2x4 leaf")
	if len(im.Report.Without) != 1 || im.Report.Without[0] != (onnx.OpCount{Op: "Einsum", Nodes: 1}) {
		t.Errorf("nodes without GEMM: %v, want one Einsum", im.Report.Without)
	}
}
