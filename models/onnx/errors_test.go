package onnx_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/npu-tune/npu-tune/models/onnx"
)

// Everything that is wrong is named: the file, the node, its operator, what was
// found.
func TestBadGraphs(t *testing.T) {
	multiply := func(g *graph, x string) { g.do("y", "MatMul", []string{x, g.weights("w", 7, 3)}) }
	conv := func(attributes ...attribute) func(g *graph) {
		return func(g *graph) {
			g.do("y", "Conv", []string{g.input("x", 1, 4, 8, 8), g.weights("w", 6, 4, 3, 3)}, attributes...)
		}
	}
	for _, c := range []struct {
		name  string
		build func(g *graph)
		o     onnx.Options
		want  error
		says  []string
	}{
		{"a cycle", func(g *graph) {
			g.do("a", "Relu", []string{"b"})
			g.do("b", "Relu", []string{"a"})
		}, onnx.Options{}, onnx.ErrONNX, []string{"cycle", `node "b" (Relu)`}},
		{"a node that reads itself", func(g *graph) { g.do("a", "Relu", []string{"a"}) }, onnx.Options{}, onnx.ErrONNX, []string{"cycle"}},
		{"two producers", func(g *graph) {
			x := g.input("x", 2, 7)
			g.do("a", "Relu", []string{x})
			g.do("a", "Tanh", []string{x})
		}, onnx.Options{}, onnx.ErrONNX, []string{`both produce "a"`}},
		{"nothing produces it", func(g *graph) { multiply(g, "nowhere") }, onnx.Options{}, onnx.ErrONNX,
			[]string{`node "y" (MatMul) reads "nowhere"`}},
		{"no matmul", func(g *graph) { g.do("a", "Relu", []string{g.input("x", 2)}) }, onnx.Options{}, onnx.ErrONNX,
			[]string{"multiplies no matrices", `"Relu"`}},
		{"no nodes", func(g *graph) { g.input("x", 2) }, onnx.Options{}, onnx.ErrONNX, []string{"no nodes"}},
		{"names without values", func(g *graph) { multiply(g, g.input("x", "n", "m", 7)) }, onnx.Options{Dims: map[string]int64{"n": 2}},
			onnx.ErrONNX, []string{`node "y" (MatMul) depends on dim "m"`, `set dim "m"`}},
		{"no shape", func(g *graph) {
			g.custom("own", "a", "Secret", []string{g.input("x", 2, 7)})
			multiply(g, "a")
		}, onnx.Options{}, onnx.ErrONNX, []string{`node "y" (MatMul) is fed by node "a" (Secret)`}},
		{"as many as there are", func(g *graph) {
			g.do("a", "NonZero", []string{g.input("x", 2)})
			g.do("t", "Transpose", []string{"a"})
			g.do("f", "Cast", []string{"t"}, attribute{"to", 1})
			g.do("y", "MatMul", []string{"f", g.weights("w", 1, 3)})
		}, onnx.Options{}, onnx.ErrONNX, []string{`node "a" (NonZero)`}},
		{"a foreign matmul", func(g *graph) {
			g.custom("own", "a", "FastMatMul", []string{g.input("x", 2, 7), g.weights("w", 7, 3)})
		}, onnx.Options{}, onnx.ErrONNX, []string{`node "a" (FastMatMul)`}},
		{"inner extents differ", func(g *graph) { multiply(g, g.input("x", 2, 8)) }, onnx.Options{}, onnx.ErrONNX,
			[]string{`node "y" (MatMul)`, "8 columns meet 7 rows"}},
		{"a scalar", func(g *graph) { multiply(g, g.input("x")) }, onnx.Options{}, onnx.ErrONNX, []string{"scalar"}},
		{"rank of Gemm", func(g *graph) {
			g.do("y", "Gemm", []string{g.input("x", 1, 2, 7), g.weights("w", 7, 3)})
		}, onnx.Options{}, onnx.ErrONNX, []string{`node "y" (Gemm)`, "rank 3 and 2"}},
		{"rank of Conv", func(g *graph) {
			g.do("y", "Conv", []string{g.input("x", 1, 4, 8), g.weights("w", 6, 4, 3, 3)})
		}, onnx.Options{}, onnx.ErrONNX, []string{`node "y" (Conv)`, "rank 3", "rank 4"}},
		{"a stride of 0", conv(attribute{"strides", []int64{0, 1}}), onnx.Options{}, onnx.ErrONNX, []string{`node "y" (Conv)`, "strides is [0 1]"}},
		{"a negative pad", conv(attribute{"pads", []int64{0, 0, -1, 0}}), onnx.Options{}, onnx.ErrONNX, []string{"pads is [0 0 -1 0]"}},
		{"too few pads", conv(attribute{"pads", []int64{1, 1}}), onnx.Options{}, onnx.ErrONNX, []string{"pads has 2 numbers, want 4"}},
		{"a dilation of 0", conv(attribute{"dilations", []int64{1, 0}}), onnx.Options{}, onnx.ErrONNX, []string{"dilations is [1 0]"}},
		{"groups that do not divide", conv(attribute{"group", 4}), onnx.Options{}, onnx.ErrONNX, []string{"4 channels", "4 groups want 16"}},
		{"no groups", conv(attribute{"group", 0}), onnx.Options{}, onnx.ErrONNX, []string{"group is 0"}},
		{"another window", conv(attribute{"kernel_shape", []int64{3, 5}}), onnx.Options{}, onnx.ErrONNX, []string{"kernel_shape is [3 5]"}},
		{"a window that does not fit", conv(attribute{"dilations", []int64{9, 1}}), onnx.Options{}, onnx.ErrONNX, []string{"19 elements", "8 elements"}},
		{"unknown padding", conv(attribute{"auto_pad", "SOME"}), onnx.Options{}, onnx.ErrONNX, []string{`auto_pad is "SOME"`}},
		{"a negative dimension", func(g *graph) { multiply(g, g.input("x", -7, 7)) }, onnx.Options{}, onnx.ErrONNX, []string{"byte", "-7"}},
		{"an absurd dimension", func(g *graph) { multiply(g, g.input("x", 1<<40, 7)) }, onnx.Options{}, onnx.ErrONNX, []string{"byte", "1099511627776"}},
		{"absurd weights", func(g *graph) {
			g.do("y", "MatMul", []string{g.input("x", 2, 7), g.weights("w", 7, 1<<31, 1<<31)})
		}, onnx.Options{}, onnx.ErrONNX, []string{"byte", `tensor "w"`}},
		{"a product beyond what a layer may have", func(g *graph) {
			multiply(g, g.input("x", 1<<30, 1<<30, 7))
		}, onnx.Options{}, onnx.ErrONNX, []string{`node "y" (MatMul)`, "rows (M) of beyond"}},
		{"work beyond 64 bits", func(g *graph) {
			g.do("y", "MatMul", []string{g.input("x", 1<<30, 1<<30), g.weights("w", 1<<30, 1<<10)})
		}, onnx.Options{}, onnx.ErrONNX, []string{`layer "y"`, "multiply-accumulates"}},
		{"a reshape of another size", func(g *graph) {
			g.do("a", "Reshape", []string{g.input("x", 2, 9), g.list("s", 3, 7)})
			multiply(g, "a")
		}, onnx.Options{}, onnx.ErrONNX, []string{`node "a" (Reshape): cannot make [3,7] of an input of shape [2,9]`}},
		{"a broadcast that does not fit", func(g *graph) {
			multiply(g, g.do("a", "Add", []string{g.input("x", 2, 7), g.weights("b", 6)}))
		}, onnx.Options{}, onnx.ErrONNX, []string{`node "a" (Add): cannot broadcast shapes [2,7] and [6]`}},
		{"an equation for another rank", func(g *graph) {
			g.do("y", "Einsum", []string{g.input("x", 2, 7), g.weights("w", 7, 3)}, attribute{"equation", "bij,jk->bik"})
		}, onnx.Options{}, onnx.ErrONNX, []string{`node "y" (Einsum)`, `"bij"`}},
		{"an input that is missing", func(g *graph) { g.do("y", "MatMul", []string{g.input("x", 2, 7)}) }, onnx.Options{}, onnx.ErrONNX,
			[]string{`node "y" (MatMul): input 1 is missing`}},
		{"a choice between one", func(g *graph) {
			multiply(g, g.do("a", "Where", []string{g.scalar("c", 1), g.scalar("d", 2)}))
		}, onnx.Options{}, onnx.ErrONNX, []string{`node "a" (Where): has 2 inputs, want 3`}},
		{"nothing to compare", func(g *graph) { multiply(g, g.do("a", "Equal", nil)) }, onnx.Options{}, onnx.ErrONNX,
			[]string{`node "y" (MatMul): multiplies a scalar`}},
		{"a name that the file has not", func(g *graph) { multiply(g, g.input("x", "n", 7)) }, onnx.Options{Dims: map[string]int64{"m": 2, "n": 3}},
			onnx.ErrOption, []string{`dim "m"`, `"n"`}},
		{"a negative dim", func(g *graph) { multiply(g, g.input("x", "n", 7)) }, onnx.Options{Dims: map[string]int64{"n": -3}},
			onnx.ErrOption, []string{`dim "n" is -3`}},
		{"a negative batch", func(g *graph) { multiply(g, g.input("x", "n", 7)) }, onnx.Options{Batch: -1}, onnx.ErrOption, []string{"batch is -1"}},
	} {
		g := &graph{}
		c.build(g)
		_, err := onnx.Parse(g.file(), "dir/bad.onnx", c.o)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), "dir/bad.onnx") {
			t.Errorf("%s: error %v, want %v of dir/bad.onnx", c.name, err, c.want)
			continue
		}
		for _, s := range c.says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %v; want %q in it", c.name, err, s)
			}
		}
	}
}

// A function that calls itself, through others or not, does not end.
func TestEndlessFunction(t *testing.T) {
	var f message
	f.text(1, "Again")
	f.text(4, "in")
	f.text(5, "out")
	n := node("Again", []string{"in"}, []string{"out"})
	n.text(7, "own")
	f.bytes(7, n)
	f.text(10, "own")
	g := &graph{}
	g.custom("own", "a", "Again", []string{g.input("x", 2, 7)})
	if _, err := onnx.Parse(g.file(f), "f.onnx", onnx.Options{}); !errors.Is(err, onnx.ErrONNX) || !strings.Contains(err.Error(), "does a function call itself?") {
		t.Errorf("error %v, want one that asks whether a function calls itself", err)
	}
}

// A small file whose functions call each other twice each would be 2^40 nodes.
func TestExplosion(t *testing.T) {
	var functions []message
	for i := range 40 {
		var f message
		f.text(1, "F"+string(rune('A'+i)))
		f.text(4, "in")
		f.text(5, "b")
		for _, io := range [][2]string{{"in", "a"}, {"a", "b"}} {
			n := node("F"+string(rune('A'+i+1)), []string{io[0]}, []string{io[1]})
			n.text(7, "own")
			f.bytes(7, n)
		}
		f.text(10, "own")
		functions = append(functions, f)
	}
	g := &graph{}
	g.custom("own", "y", "FA", []string{g.input("x", 2, 7)})
	if _, err := onnx.Parse(g.file(functions...), "f.onnx", onnx.Options{}); !errors.Is(err, onnx.ErrONNX) || !strings.Contains(err.Error(), "nodes") {
		t.Errorf("error %v, want one on too many nodes", err)
	}
}

func TestBadFiles(t *testing.T) {
	for _, c := range []struct {
		name string
		data []byte
		says []string
	}{
		{"empty", nil, []string{"byte 0: the file is empty"}},
		{"text", []byte("layer,h,w\nconv1,224,224\n"), []string{"byte 0", "is this an ONNX file?"}},
		{"an image", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), []string{"byte 10", "is this an ONNX file?"}},
		{"an archive", []byte("PK\x03\x04\x14\x00\x00\x00\x08\x00"), []string{"byte 2", "is this an ONNX file?"}},
		{"no graph", []byte{8, 9}, []string{"byte 2", "without a graph"}},
		{"zeros", make([]byte, 64), []string{"byte 0"}},
		{"an endless number", slices.Repeat([]byte{0xff}, 32), []string{"byte 0"}},
	} {
		_, err := onnx.Parse(c.data, "bad.onnx", onnx.Options{})
		if !errors.Is(err, onnx.ErrONNX) {
			t.Errorf("%s: error %v, want %v", c.name, err, onnx.ErrONNX)
			continue
		}
		for _, s := range c.says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %v; want %q in it", c.name, err, s)
			}
		}
	}
}

// Wherever a file is cut off, it is refused with the place, or is whole up to there.
func TestTruncated(t *testing.T) {
	whole := transformer().file()
	for n := range whole {
		_, err := onnx.Parse(whole[:n], "cut.onnx", onnx.Options{Batch: 2, Dims: map[string]int64{"seq": 32}})
		if !errors.Is(err, onnx.ErrONNX) || !strings.Contains(err.Error(), "byte ") {
			t.Fatalf("the first %d of %d bytes: error %v, want one with a byte", n, len(whole), err)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := onnx.Load(filepath.Join(dir, "none.onnx"), onnx.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want %v", err, os.ErrNotExist)
	}
	if _, err := onnx.Load(dir, onnx.Options{}); !errors.Is(err, onnx.ErrONNX) {
		t.Errorf("a folder: error %v, want %v", err, onnx.ErrONNX)
	}
}
