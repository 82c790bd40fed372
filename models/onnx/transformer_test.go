package onnx_test

import (
	"testing"

	"github.com/npu-tune/npu-tune/models/onnx"
)

// transformer is a block of attention and a feed-forward network as exporters
// write it, over named batch and sequence; its head is the embedding transposed.
func transformer() *graph {
	const vocabulary, width, heads = 100, 64, 4
	g := &graph{}
	g.integers("tokens", "batch", "seq")
	g.weights("embedding", vocabulary, width)
	g.do("embedded", "Gather", []string{"embedding", "tokens"})
	g.do("shape", "Shape", []string{"tokens"})
	g.do("b", "Slice", []string{"shape", g.list("zero", 0), g.list("one", 1)})
	g.do("s", "Slice", []string{"shape", "one", g.list("two", 2)})
	g.do("positions", "Slice", []string{g.weights("positional", 1, 256, width), "zero", "s", "one"})
	g.do("x", "Add", []string{"embedded", "positions"})
	g.do("normal", "LayerNormalization", []string{"x", g.weights("scale", width), g.weights("shift", width)})
	g.do("qkv", "MatMul", []string{"normal", g.weights("qkv.w", width, 3*width)})
	g.do("qkv.biased", "Add", []string{g.weights("qkv.b", 3*width), "qkv"})
	g.bytes(1, node("Split", []string{"qkv.biased", g.list("thirds", width, width, width)}, []string{"q0", "k0", "v0"}, attribute{"axis", -1}))
	g.do("split", "Concat", []string{"b", "s", g.list("heads", heads), g.list("rest", -1)}, attribute{"axis", 0})
	for _, part := range []struct {
		name string
		perm []int64
	}{{"q", []int64{0, 2, 1, 3}}, {"k", []int64{0, 2, 3, 1}}, {"v", []int64{0, 2, 1, 3}}} {
		g.do(part.name+"1", "Reshape", []string{part.name + "0", "split"})
		g.do(part.name, "Transpose", []string{part.name + "1"}, attribute{"perm", part.perm})
	}
	g.do("scores", "MatMul", []string{"q", "k"})
	g.do("weights", "Softmax", []string{"scores"}, attribute{"axis", -1})
	g.do("context", "MatMul", []string{"weights", "v"})
	g.do("together", "Transpose", []string{"context"}, attribute{"perm", []int64{0, 2, 1, 3}})
	g.do("joined", "Concat", []string{"b", "s", "rest"}, attribute{"axis", 0})
	g.do("flat", "Reshape", []string{"together", "joined"})
	g.do("out", "MatMul", []string{"flat", g.weights("out.w", width, width)})
	g.do("residual", "Add", []string{"out", "x"})
	g.do("up", "MatMul", []string{"residual", g.weights("up.w", width, 4*width)})
	g.do("gelu", "Gelu", []string{"up"})
	g.do("down", "MatMul", []string{"gelu", g.weights("down.w", 4*width, width)})
	g.do("head.w", "Transpose", []string{"embedding"})
	g.do("head", "MatMul", []string{"down", "head.w"})
	g.info("head", "batch", "seq", vocabulary)
	g.output("head")
	return g
}

func TestTransformer(t *testing.T) {
	im := mustParse(t, transformer().file(), onnx.Options{Dims: map[string]int64{"seq": 32}, Batch: 2})
	compare(t, im,
		"qkv 64x192x64",
		"scores 32x32x16 batch 8 activations",
		"context 32x16x32 batch 8 activations",
		"out 64x64x64",
		"up 64x256x64",
		"down 64x64x256",
		"head 64x100x64",
	)
	const want = 100*64 + 256*64 + 2*64 + 64*192 + 192 + 64*64 + 2*64*256
	if got := im.Model.Parameters(); got != want {
		t.Errorf("%d parameters, want %d: the embedding counts once though it is the head, too", got, want)
	}
	if got := im.Model.OtherParameters; got != 256*64+2*64+192 {
		t.Errorf("%d parameters of no GEMM, want positions, a normalization and a bias", got)
	}
}

// What is trained upstream decides whether a layer needs the gradient of its input.
func TestInputGradient(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(g *graph) string // returns the input of the layer
		leaf  bool
		other int64
	}{
		{"an input", func(g *graph) string { return g.input("x", 2, 7) }, true, 0},
		{"a constant mean is subtracted", func(g *graph) string {
			return g.do("a", "Sub", []string{g.input("x", 2, 7), g.weights("mean", 7)})
		}, true, 0},
		{"a bias is added", func(g *graph) string {
			return g.do("a", "Add", []string{g.input("x", 2, 7), g.weights("bias", 7)})
		}, false, 7},
		{"a number is multiplied", func(g *graph) string {
			return g.do("a", "Mul", []string{g.input("x", 2, 7), g.weights("factor")})
		}, true, 0},
		{"a normalization: its statistics are not trained", func(g *graph) string {
			return g.do("a", "BatchNormalization", []string{g.input("x", 2, 7), g.weights("s", 7), g.weights("b", 7), g.weights("m", 7), g.weights("v", 7)})
		}, false, 14},
		{"an embedding", func(g *graph) string {
			return g.do("a", "Gather", []string{g.weights("table", 50, 7), g.integers("x", 2)})
		}, false, 350},
		{"a table that is no embedding", func(g *graph) string {
			g.do("t", "Gather", []string{g.weights("table", 50, 7), g.list("rows", 3, 4)})
			return g.do("a", "Sub", []string{g.input("x", 2, 7), "t"})
		}, true, 0},
		{"gradients end at integers", func(g *graph) string {
			g.do("a", "Add", []string{g.input("x", 2, 7), g.weights("bias", 7)})
			g.do("i", "Cast", []string{"a"}, attribute{"to", 7})
			return g.do("f", "Cast", []string{"i"}, attribute{"to", 1})
		}, true, 7},
		{"a slope", func(g *graph) string {
			return g.do("a", "PRelu", []string{g.input("x", 2, 7), g.weights("slope", 7)})
		}, false, 7},
	} {
		g := &graph{}
		g.do("y", "MatMul", []string{c.build(g), g.weights("w", 7, 3)})
		m := mustParse(t, g.file(), onnx.Options{}).Model
		if l := m.Layers[0]; l.NoInputGrad != c.leaf || m.OtherParameters != c.other {
			t.Errorf("%s: no input gradient %v, %d other parameters; want %v, %d", c.name, l.NoInputGrad, m.OtherParameters, c.leaf, c.other)
		}
	}
}

// Weights that several nodes use count once, also behind what only moves them.
func TestSharedWeights(t *testing.T) {
	g := &graph{}
	x := g.input("x", 2, 7)
	g.weights("w", 7, 7)
	g.do("a", "MatMul", []string{x, "w"})
	g.do("wt", "Transpose", []string{"w"})
	g.do("b", "MatMul", []string{"a", "wt"})
	g.do("wi", "Identity", []string{"w"})
	g.do("c", "MatMul", []string{"b", "wi"})
	im := mustParse(t, g.file(), onnx.Options{})
	compare(t, im, "a 2x7x7 leaf", "b 2x7x7 activations", "c 2x7x7 activations")
	if got := im.Model.Parameters(); got != 49 {
		t.Errorf("%d parameters, want 49", got)
	}
}

// Inputs that only multiply are weights; a batch leaves them alone.
func TestWeightsAsInputs(t *testing.T) {
	g := &graph{}
	g.do("y", "MatMul", []string{g.input("x", 7, 7), g.input("w", 7, 3)})
	im := mustParse(t, g.file(), onnx.Options{Batch: 5})
	compare(t, im, "y 5x3x7 leaf")
	if got := im.Model.Parameters(); got != 21 {
		t.Errorf("%d parameters, want 21", got)
	}
}

// Weights whose values were taken out of the file are a shape to be filled.
func TestFilledWeights(t *testing.T) {
	g := &graph{}
	g.do("w", "ConstantOfShape", []string{g.list("s", 7, 3)})
	g.do("y", "MatMul", []string{g.input("x", 2, 7), "w"})
	im := mustParse(t, g.file(), onnx.Options{})
	compare(t, im, "y 2x3x7 leaf")
	if got := im.Model.Parameters(); got != 21 {
		t.Errorf("%d parameters, want 21", got)
	}
}
