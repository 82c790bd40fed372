package onnx_test

import (
	"strings"
	"testing"

	"github.com/npu-tune/npu-tune/models/onnx"
)

// linear returns a body that multiplies a value from around by weights of so
// many columns.
func linear(x, name string, columns int64) *graph {
	g := &graph{}
	g.do(name, "MatMul", []string{x, g.weights(name+".w", 7, columns)})
	g.output(name)
	return g
}

func TestIf(t *testing.T) {
	for _, c := range []struct {
		name    string
		cond    func(g *graph) string
		o       onnx.Options
		want    []string
		leftOut string
	}{
		{"a constant decides", func(g *graph) string { return g.scalar("c", 0) }, onnx.Options{}, []string{"y/else_branch/b 2x5x7 leaf"}, ""},
		{"an input decides", func(g *graph) string { return g.integers("c") }, onnx.Options{Dims: map[string]int64{"c": 1}},
			[]string{"y/then_branch/a 2x3x7 leaf"}, ""},
		{"nobody knows: the one with more work", func(g *graph) string { return g.integers("c") }, onnx.Options{},
			[]string{"y/else_branch/b 2x5x7 leaf"}, "only one of the two branches runs"},
	} {
		g := &graph{}
		x := g.input("x", 2, 7)
		g.do("y", "If", []string{c.cond(g)}, attribute{"then_branch", linear(x, "a", 3)}, attribute{"else_branch", linear(x, "b", 5)})
		im := mustParse(t, g.file(), c.o)
		compare(t, im, c.want...)
		var left []string
		for _, l := range im.Report.LeftOut {
			left = append(left, l.Why)
		}
		if got := strings.Join(left, ";"); (got != "") != (c.leftOut != "") || !strings.Contains(got, c.leftOut) {
			t.Errorf("%s: left out %q, want %q", c.name, got, c.leftOut)
		}
	}
}

// step returns the body of a loop: the carried value times weights from around.
func step(condition bool) *graph {
	g := &graph{}
	if condition {
		g.integers("i")
		g.integers("go")
	}
	g.do("next", "MatMul", []string{g.input("state", 2, 7), "w"})
	g.do("copy", "Relu", []string{"next"})
	if condition {
		g.do("on", "Identity", []string{"go"})
		g.output("on")
	}
	g.output("next", "copy")
	return g
}

// All iterations share the weights, which count once; the gradient comes around.
func TestLoop(t *testing.T) {
	g := &graph{}
	x := g.input("x", 2, 7)
	g.weights("w", 7, 7)
	g.bytes(1, node("Loop", []string{g.scalar("trips", 5), "", x}, []string{"last", "all"}, attribute{"body", step(true)}))
	g.do("y", "MatMul", []string{"all", g.weights("v", 7, 3)})
	im := mustParse(t, g.file(), onnx.Options{})
	compare(t, im, "last/next 2x7x7", "last/next#2 2x7x7 count 4 activations", "y 10x3x7")
	if got, want := im.Model.Parameters(), int64(7*7+7*3); got != want {
		t.Errorf("%d parameters, want %d", got, want)
	}
}

func TestLoopOfUnknownLength(t *testing.T) {
	g := &graph{}
	x := g.input("x", 2, 7)
	g.weights("w", 7, 7)
	g.do("last", "Loop", []string{g.integers("n"), "", x}, attribute{"body", step(true)})
	_, err := onnx.Parse(g.file(), "loop.onnx", onnx.Options{})
	if err == nil || !strings.Contains(err.Error(), `set dim "last.trips"`) {
		t.Errorf("error %v, want one that names last.trips", err)
	}
	im := mustParse(t, g.file(), onnx.Options{Dims: map[string]int64{"last.trips": 3}})
	compare(t, im, "last/next 2x7x7", "last/next#2 2x7x7 count 2 activations")
}

func TestScan(t *testing.T) {
	body := &graph{}
	body.input("h", 2, 7)
	body.do("sum", "Add", []string{"h", body.input("slice", 2, 7)})
	body.do("h2", "MatMul", []string{"sum", "w"})
	body.do("out", "Identity", []string{"h2"})
	body.output("h2", "out")
	g := &graph{}
	g.weights("w", 7, 7)
	g.bytes(1, node("Scan", []string{g.input("h0", 2, 7), g.input("x", 9, 2, 7)}, []string{"last", "all"},
		attribute{"num_scan_inputs", 1}, attribute{"body", body}))
	g.do("y", "MatMul", []string{"all", g.weights("v", 7, 3)})
	compare(t, mustParse(t, g.file(), onnx.Options{}),
		"last/h2 2x7x7", "last/h2#2 2x7x7 count 8 activations", "y 18x3x7")
}

// A function is inferred in place, its attributes those of the call.
func TestFunction(t *testing.T) {
	var f message
	f.text(1, "Dense")
	f.text(4, "in")
	f.text(4, "weights")
	f.text(5, "out")
	f.text(6, "transposed")
	f.bytes(7, node("Gemm", []string{"in", "weights"}, []string{"product"}, attribute{"transB", ref("transposed")}))
	f.bytes(7, node("Relu", []string{"product"}, []string{"out"}))
	f.text(10, "own")
	g := &graph{}
	g.custom("own", "a", "Dense", []string{g.input("x", 2, 7), g.weights("w", 5, 7)}, attribute{"transposed", 1})
	g.custom("own", "b", "Dense", []string{"a", g.weights("v", 5, 3)})
	im := mustParse(t, g.file(f), onnx.Options{})
	compare(t, im, "a/product 2x5x7 leaf", "b/product 2x3x5")
}

// What the file says of a value is taken where an operator is not known.
func TestDeclaredShapesAreTrusted(t *testing.T) {
	g := &graph{}
	g.custom("own", "a", "Secret", []string{g.input("x", "n", 7)})
	g.info("a", "n", 9)
	g.do("y", "MatMul", []string{"a", g.weights("w", 9, 3)})
	im := mustParse(t, g.file(), onnx.Options{Dims: map[string]int64{"n": 4}})
	compare(t, im, "y 4x3x9 leaf")
	if len(im.Report.LeftOut) != 1 || im.Report.LeftOut[0].Node != "a" {
		t.Errorf("left out %v, want node a", im.Report.LeftOut)
	}
}

// Nodes that no output depends on do not run.
func TestDeadNodes(t *testing.T) {
	g := &graph{}
	x := g.input("x", 2, 7)
	g.do("y", "MatMul", []string{x, g.weights("w", 7, 3)})
	g.do("dead", "MatMul", []string{x, g.weights("v", 7, 5)})
	g.output("y")
	im := mustParse(t, g.file(), onnx.Options{})
	compare(t, im, "y 2x3x7 leaf")
	if len(im.Report.LeftOut) != 1 || im.Report.LeftOut[0].Node != "dead" {
		t.Errorf("left out %v, want node dead", im.Report.LeftOut)
	}
}
