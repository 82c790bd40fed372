package timeloop_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/models/timeloop"
)

const gemmShape = `
  shape:
    name: product
    dimensions: [M, N, K]
    data-spaces:
      - name: A
        projection: [[[M]], [[K]]]
      - name: B
        projection: [[[K]], [[N]]]
      - name: Z
        projection: [[[M]], [[N]]]
        read-write: True
`

const convShape = `
  shape:
    name: net
    dimensions: [C, M, R, S, N, P, Q]
    coefficients:
      - {name: Wstride, default: 1}
      - {name: Hstride, default: 1}
      - {name: Wdilation, default: 1}
      - {name: Hdilation, default: 1}
    data_spaces:
      - name: Weights
        projection: [[[C]], [[M]], [[R]], [[S]]]
      - name: Inputs
        projection: [[[N]], [[C]], [[R, Wdilation], [P, Wstride]], [[S, Hdilation], [Q, Hstride]]]
      - name: Outputs
        projection: [[[N]], [[M]], [[Q]], [[P]]]
        read_write: True
`

// conv is the layer of C 8, M 4, R 3, S 2, N 5, P 6, Q 7 and the given window.
func conv(name string, h, w, strideH, strideW, dilationH, dilationW int64) models.Layer {
	return models.Layer{Name: name, M: 5 * 6 * 7, N: 4, K: 8 * 3 * 2, Conv: &models.Conv{
		H: h, W: w, P: 7, Q: 6, R: 2, S: 3, StrideH: strideH, StrideW: strideW, DilationH: dilationH, DilationW: dilationW,
	}}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, yaml string
		dims       map[string]int64
		want       models.Layer
	}{
		{"GEMM", "problem:" + gemmShape + "  instance: {M: 2, N: 3, K: 5}", nil, models.Layer{Name: "product", M: 2, N: 3, K: 5}},
		{"a dimension set", "problem:" + gemmShape + "  instance: {M: 2, N: 3, K: 5}", map[string]int64{"M": 7}, models.Layer{Name: "product", M: 7, N: 3, K: 5}},
		{"a shape alone", strings.ReplaceAll(gemmShape, "\n  ", "\n"), map[string]int64{"M": 2, "N": 3, "K": 5}, models.Layer{Name: "product", M: 2, N: 3, K: 5}},
		{
			"version 0.4", "problem:\n  version: 0.4\n  instance: {C: 8, M: 4, R: 3, S: 2, N: 5, P: 6, Q: 7, Wstride: 2, Hstride: 3, Wdilation: 4, Hdilation: 5}" + convShape, nil,
			conv("net", 6*3+1*5+1, 5*2+2*4+1, 3, 2, 5, 4),
		},
		{
			"0.3: defaults of coefficients", "problem:" + convShape + "  instance: {C: 8, M: 4, R: 3, S: 2, N: 5, P: 6, Q: 7}", nil,
			conv("net", 8, 8, 1, 1, 1, 1),
		},
		{
			"0.1: Timeloop's own shape, dimensions beside it", "problem:\n  shape: cnn-layer\n  R: 3\n  S: 2\n  P: 6\n  Q: 7\n  C: 8\n  K: 4\n  N: 5\n  Wstride: 2\n", nil,
			conv("x", 8, 13, 1, 2, 1, 1),
		},
		{"no shape at all", "problem: {R: 3, S: 2, P: 6, Q: 7, C: 8, K: 4, N: 5}", nil, conv("x", 8, 8, 1, 1, 1, 1)},
		{"the gemm shape by name", "problem: {shape: gemm, instance: {M: 2, N: 3, K: 5}}", nil, models.Layer{Name: "x", M: 2, N: 3, K: 5}},
		{
			"inputs in another order, a batch of heads", `
problem:
  shape:
    name: attention
    dimensions: [h, q, k, d]
    data_spaces:
    - {name: Weights, projection: [[[h]], [[k]], [[d]]]}
    - {name: Q, projection: [[[h]], [[q]], [[d]]]}
    - {name: S, projection: [[[h]], [[q]], [[k]]], read_write: true}
  instance: {h: 12, q: 128, k: 64, d: 32}`, nil, models.Layer{Name: "attention", M: 128, N: 64, K: 32, Batch: 12},
		},
		{
			"one sliding axis", `
problem:
  shape:
    name: conv1d
    dimensions: [C, K, R, P]
    data_spaces:
    - {name: Weights, projection: [[[C]], [[K]], [[R]]]}
    - {name: Inputs, projection: [[[C]], [[R], [P]]]}
    - {name: Outputs, projection: [[[K]], [[P]]], read_write: true}
  instance: {C: 8, K: 4, R: 3, P: 10}`, nil,
			models.Layer{Name: "conv1d", M: 10, N: 4, K: 24, Conv: &models.Conv{H: 1, W: 12, P: 1, Q: 10, R: 1, S: 3, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1}},
		},
	} {
		m, err := timeloop.Parse([]byte(c.yaml), "dir/x.yaml", timeloop.Options{Dims: c.dims})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff([]models.Layer{c.want}, m.Layers); diff != "" || m.Name != "x" {
			t.Errorf("%s: model %q (-want +got):\n%s", c.name, m.Name, diff)
		}
		if !timeloop.Is([]byte(c.yaml)) {
			t.Errorf("%s: not taken for a problem", c.name)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		yaml string
		dims map[string]int64
		want []string
	}{
		{"a: 1", nil, []string{"x.yaml:1: the file has a, want a mapping with problem (shape and instance) or shape"}},
		{"- 1", nil, []string{"x.yaml:1: the file is a list, want a mapping with problem (shape and instance) or shape"}},
		{"problem: 3", nil, []string{"x.yaml:1: problem is 3, want a mapping with shape and instance"}},
		{"architecture: {version: 0.3}", nil, []string{
			"x.yaml:1: the file is an architecture, which is an NPU rather than a model, want a mapping with problem (shape and instance) or shape",
		}},
		{"problem: {shape: cnn_lyer}", nil, []string{`x.yaml:1: shape is "cnn_lyer", want it written out, or cnn-layer or gemm, did you mean "cnn-layer"?`}},
		{strings.ReplaceAll(gemmShape, "\n  ", "\n"), nil, []string{"x.yaml:3: the file has a shape but no instance, want sizes of M, N, K: an instance, or --dim M=N and so on"}},
		{"problem:" + gemmShape + "  instance: {M: 2, N: 3}", nil, []string{"x.yaml:3: K has no size, want it in the instance, or --dim K=N"}},
		{"problem:" + gemmShape + "  instance: {M: 0, N: x, K: 5000000000, L: 1}", nil, []string{
			"x.yaml:13: M is 0, want a whole number from 1 to 2147483648",
			`x.yaml:13: N is "x", want a whole number from 1 to 2147483648`,
			"x.yaml:13: K is 5000000000, want a whole number from 1 to 2147483648",
			`x.yaml:13: L is no dimension of the shape, want M, N, K`,
		}},
		{"problem:" + gemmShape + "  instance: {M: 2, N: 3, K: 5}", map[string]int64{"m": 3}, []string{`x.yaml: there is no dimension "m", want M, N, K, did you mean "M"?`}},
		{"problem:" + strings.Replace(gemmShape, "[[K]]]", "[[J]]]", 1), nil, []string{`x.yaml:7: projection of "A" has dimension "J", want one of M, N, K`}},
		{"problem:" + strings.Replace(gemmShape, "        read-write: True\n", "", 1), nil, []string{
			"x.yaml:6: shape has 3 inputs and 0 outputs (read_write: true), want 2 and 1: a matrix product or a convolution",
		}},
		{"problem:" + strings.Replace(gemmShape, "[[K]], [[N]]", "[[N]]", 1) + "  instance: {M: 2, N: 3, K: 5}", nil, []string{
			"x.yaml:3: dimension K is of the data space A only, want each dimension in at least two data spaces: a matrix product or a convolution",
		}},
		{"problem:" + gemmShape + "  instance: {M: 2147483648, N: 2147483648, K: 2}", nil, []string{"x.yaml: it takes 9.22e+18 multiply-accumulates, want at most 1.15e+18"}},
		{"problem:" + gemmShape + "  instance: {M: 2, M: 3}", nil, []string{`x.yaml:13: "M" occurs twice, first in line 13, want it once`}},
		{"problem: {shape: gemm, instance: {M: 2, N: 3, K: 5, Wstride: 2}}", nil, []string{"x.yaml:1: Wstride is no dimension of the shape, want M, N, K"}},
	} {
		_, err := timeloop.Parse([]byte(c.yaml), "x.yaml", timeloop.Options{Dims: c.dims})
		if !errors.Is(err, timeloop.ErrProblem) {
			t.Errorf("%q: error %v, want one that wraps ErrProblem", c.yaml, err)
			continue
		}
		got := strings.Split(strings.ReplaceAll(err.Error(), "cannot import Timeloop problem: ", ""), "\n")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.yaml, diff)
		}
	}
}

func TestPeers(t *testing.T) {
	for file, c := range map[string]struct {
		dims map[string]int64
		want models.Layer
	}{
		"prob_gemm.yaml": {nil, models.Layer{Name: "GEMM", M: 3136, N: 64, K: 576}},
		"prob_conv.yaml": {nil, models.Layer{Name: "CNN-Layer", M: 3136, N: 64, K: 576, Conv: &models.Conv{
			H: 58, W: 58, P: 56, Q: 56, R: 3, S: 3, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1,
		}}},
		"gemm_ABZ.yaml": {map[string]int64{"M": 2, "N": 3, "K": 5}, models.Layer{Name: "gemm_ABZ", M: 2, N: 3, K: 5}},
		"cnn_layer.yaml": {
			map[string]int64{"R": 3, "S": 2, "P": 6, "Q": 7, "C": 8, "K": 4, "N": 5, "Wstride": 2},
			conv("CNN_Layer", 8, 13, 1, 2, 1, 1),
		},
	} {
		path := filepath.Join("..", "..", "..", "shared", "peers", "timeloop", file)
		if _, err := os.Stat(path); err != nil {
			t.Skipf("sample file %s is not here", file)
		}
		m, err := timeloop.Load(path, timeloop.Options{Dims: c.dims})
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff([]models.Layer{c.want}, m.Layers); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("problem:" + gemmShape + "  instance: {M: 2, N: 3, K: 5}"))
	f.Add([]byte("problem:" + convShape + "  instance: {C: 8, M: 4, R: 3, S: 2, N: 5, P: 6, Q: 7, Wstride: 2}"))
	f.Add([]byte("problem: {R: 3, S: 2, P: 6, Q: 7, C: 8, K: 4, N: 5}"))
	f.Add([]byte(strings.ReplaceAll(gemmShape, "\n  ", "\n")))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := timeloop.Parse(data, "fuzz.yaml", timeloop.Options{})
		if err != nil {
			if !errors.Is(err, timeloop.ErrProblem) {
				t.Fatalf("error %v does not wrap ErrProblem", err)
			}
			return
		}
		if err := m.Validate(); err != nil || m.MACs() <= 0 {
			t.Fatalf("read but invalid: %v, %d MACs", err, m.MACs())
		}
	})
}
