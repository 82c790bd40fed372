package file_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/models/file"
	"github.com/npu-tune/npu-tune/models/zoo"
)

func TestFiveLines(t *testing.T) {
	got, err := file.Parse([]byte(`name: tiny
layers:
  - {name: conv, images: 4, channels: 3, height: 32, width: 32, filters: 16, kernel: 3, stride: 2, padding: 1, no_input_grad: true}
  - {name: scores, m: 64, n: 64, k: 32, batch: 8, activations: true}
  - {name: fc, m: 4, n: 10, k: 4096, count: 2}
`), "x.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := models.Model{Name: "tiny", Layers: []models.Layer{
		{Name: "conv", M: 4 * 16 * 16, N: 16, K: 27, NoInputGrad: true, Conv: &models.Conv{
			H: 32, W: 32, P: 16, Q: 16, R: 3, S: 3, StrideH: 2, StrideW: 2, DilationH: 1, DilationW: 1, PadH: 1, PadW: 1,
		}},
		{Name: "scores", M: 64, N: 64, K: 32, Batch: 8, Activations: true},
		{Name: "fc", M: 4, N: 10, K: 4096, Count: 2},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestConvolutions(t *testing.T) {
	const rest = "channels: 8, height: 10, width: 7, filters: 4, "
	for _, c := range []struct {
		keys          string
		m, n, k, b    int64
		p, q          int64
		padH, padW    int64
		hasOtherShape bool
	}{
		{"kernel: 3", 8 * 5, 4, 72, 0, 8, 5, 0, 0, false},
		{"kernel: [1, 3], images: 2", 2 * 10 * 5, 4, 24, 0, 10, 5, 0, 0, false},
		{"kernel: 3, stride: [2, 1]", 4 * 5, 4, 72, 0, 4, 5, 0, 0, false},
		{"kernel: 3, padding: [1, 0]", 10 * 5, 4, 72, 0, 10, 5, 1, 0, false},
		{"kernel: 3, padding: [0, 1, 2, 3]", 10 * 9, 4, 72, 0, 10, 9, 0, 1, false},
		{"kernel: 3, dilation: 2", 6 * 3, 4, 72, 0, 6, 3, 0, 0, false},
		{"kernel: 3, groups: 4", 8 * 5, 1, 18, 4, 8, 5, 0, 0, false},
		{"kernel: 3, stride: 100", 1, 4, 72, 0, 1, 1, 0, 0, false},
	} {
		m, err := file.Parse([]byte("layers: [{"+rest+c.keys+"}]"), "x.yaml")
		if err != nil {
			t.Errorf("%s: %v", c.keys, err)
			continue
		}
		l := m.Layers[0]
		got := []int64{l.M, l.N, l.K, l.Batch, l.Conv.P, l.Conv.Q, l.Conv.PadH, l.Conv.PadW}
		if diff := cmp.Diff([]int64{c.m, c.n, c.k, c.b, c.p, c.q, c.padH, c.padW}, got); diff != "" {
			t.Errorf("%s: m, n, k, batch, p, q, pads (-want +got):\n%s", c.keys, diff)
		}
		if m.Name != "x" || l.Name != "layer1" {
			t.Errorf("%s: names are %q and %q, want x and layer1", c.keys, m.Name, l.Name)
		}
	}
}

func TestErrors(t *testing.T) {
	conv := func(keys string) string {
		return "layers:\n- {channels: 8, height: 10, width: 7, filters: 4, kernel: 3, " + keys + "}"
	}
	for _, c := range []struct {
		yaml string
		want []string // each error, without the prefix "invalid model file: "
	}{
		{"", []string{"x.yaml: the file is empty, want a mapping with layers"}},
		{"name: a", []string{"x.yaml:1: layers is missing or empty, want a list such as [{m: 128, n: 512, k: 784}]"}},
		{"layers: []", []string{"x.yaml:1: layers is missing or empty, want a list such as [{m: 128, n: 512, k: 784}]"}},
		{"- m: 1", []string{"x.yaml:1: the file is a list, want a mapping"}},
		{"layers: 5", []string{"x.yaml:1: layers is 5, want a list"}},
		{"layers: [7]", []string{"x.yaml:1: layers[0] is 7, want a mapping"}},
		{"name: a\nlayer:\n- {m: 1, n: 2, k: 3}", []string{`x.yaml:2: layer is unknown, did you mean "layers"?`}},
		{"layers:\n- {m: 1, n: 2, k: 3}\n- {m: 1, n: 2, k: 3, kout: 4}", []string{`x.yaml:3: layers[1].kout is unknown, did you mean "count"?`}},
		{"layers:\n- m: 1\n  n: 2\n  k: 3\n  m: 4", []string{`x.yaml:5: "m" occurs twice, first in line 2, want it once`}},
		{`{"layers": [{"m": 1, "n": 2, "k": 3, "n": 4}]}`, []string{`x.yaml:1: "n" occurs twice, first in line 1, want it once`}},
		{"layers:\n- {m: 0, n: -2, k: 3000000000}", []string{
			"x.yaml:2: layers[0].m is 0, want a whole number from 1 to 2147483648",
			"x.yaml:2: layers[0].n is -2, want a whole number from 1 to 2147483648",
			"x.yaml:2: layers[0].k is 3000000000, want a whole number from 1 to 2147483648",
		}},
		{"layers:\n- {m: 1.5, n: two}", []string{
			"x.yaml:2: layers[0].m is 1.5, want a whole number from 1 to 2147483648",
			`x.yaml:2: layers[0].n is "two", want a whole number from 1 to 2147483648`,
			"x.yaml:2: layers[0].k is missing, want a whole number from 1 to 2147483648",
		}},
		{"layers:\n- {m: 1, n: 1, k: 1, count: 0, activations: 3}", []string{
			"x.yaml:2: layers[0].activations is 3, want true or false",
			"x.yaml:2: layers[0].count is 0, want a whole number from 1 to 2147483648",
		}},
		{conv("m: 4"), []string{"x.yaml:2: layers[0].channels and m are both given, want either m, n, k or a convolution with channels, height, width, filters, kernel"}},
		{"layers:\n- {channels: 8, kernal: 3, height: 4, width: 4}", []string{
			"x.yaml:2: layers[0].filters is missing, want a whole number from 1 to 2147483648",
			`x.yaml:2: layers[0].kernal is unknown, did you mean "kernel"?`,
		}},
		{conv("stride: 0"), []string{"x.yaml:2: layers[0].stride is 0, want a whole number from 1 to 2147483648"}},
		{conv("stride: [1, 0]"), []string{"x.yaml:2: layers[0].stride has 0, want whole numbers from 1 to 2147483648"}},
		{conv("padding: -1"), []string{"x.yaml:2: layers[0].padding is -1, want a whole number from 0 to 2147483648"}},
		{conv("padding: [1, 2, 3]"), []string{"x.yaml:2: layers[0].padding is a list, want a whole number, two (rows and columns), or four (above, left, below, right)"}},
		{conv("groups: 3"), []string{
			"x.yaml:2: layers[0].channels is 8, want a multiple of groups = 3",
			"x.yaml:2: layers[0].filters is 4, want a multiple of groups = 3",
		}},
		{conv("dilation: 4"), []string{"x.yaml:2: layers[0].width is 7, 7 with its padding, want at least 9, the filter's extent"}},
		{conv("images: 2147483648"), []string{"x.yaml:2: layers[0] is a convolution whose images·P·Q is more than 2147483648"}},
		{"layers:\n- {m: 7, n: 1, k: 9, conv: {h: 4, w: 4, p: 2, q: 2, r: 3, s: 3}}", []string{
			"x.yaml:2: layers[0].m is 7, want a multiple of conv.p·conv.q = 4 (one image)",
		}},
		{"layers:\n- {name: a, m: 1, n: 1, k: 1}\n- {name: a, m: 2, n: 1, k: 1}", []string{
			`x.yaml:3: layers[1] is called "a" as layers[0] is, want another name`,
		}},
		{"layers:\n- {m: 2147483648, n: 2147483648, k: 2}", []string{"x.yaml:1: layers take 9.22e+18 multiply-accumulates in all, want at most 1.15e+18"}},
		{"layers: [\n", []string{"x.yaml:1: sequence end token ']' not found"}},
		{"\xff", []string{"x.yaml: the file is not UTF-8"}},
		{strings.Repeat("[", 50), []string{"x.yaml:1: values nest deeper than 16"}},
		{"layers: [{m: 1, n: 1, k: 1}]\n---\nlayers: []", []string{"x.yaml:3: a second document begins, want one in a file"}},
	} {
		_, err := file.Parse([]byte(c.yaml), "x.yaml")
		if !errors.Is(err, file.ErrFile) {
			t.Errorf("%q: error %v, want one that wraps ErrFile", c.yaml, err)
			continue
		}
		got := strings.Split(strings.ReplaceAll(err.Error(), "invalid model file: ", ""), "\n")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.yaml, diff)
		}
	}
}

// roundTrip writes a model both ways and reads it again.
func roundTrip(t interface {
	Helper()
	Errorf(string, ...any)
}, m models.Model,
) {
	t.Helper()
	for _, text := range [][]byte{file.YAML(m), file.JSON(m)} {
		got, err := file.Parse(text, "again.yaml")
		if err != nil {
			t.Errorf("%v\n%s", err, text)
		} else if diff := cmp.Diff(m, got); diff != "" {
			t.Errorf("(-want +got):\n%s\n%s", diff, text)
		}
	}
}

func TestNetworksRoundTrip(t *testing.T) {
	for _, name := range zoo.Names() {
		m, err := zoo.Build(name, zoo.Options{})
		if err != nil {
			t.Fatal(err)
		}
		roundTrip(t, m)
	}
}

func TestRoundTrip(t *testing.T) {
	extent := rapid.Int64Range(1, 12)
	text := rapid.StringOfN(rapid.Rune(), 1, 12, 200)
	layer := rapid.Custom(func(t *rapid.T) models.Layer {
		l := models.Layer{
			Name: text.Draw(t, "name"), N: extent.Draw(t, "n"),
			NoInputGrad: rapid.Bool().Draw(t, "leaf"), Activations: rapid.Bool().Draw(t, "activations"),
			Batch: rapid.SampledFrom([]int64{0, 2, 3}).Draw(t, "batch"), Count: rapid.SampledFrom([]int64{0, 2, 9}).Draw(t, "count"),
			M: extent.Draw(t, "m"), K: extent.Draw(t, "k"),
		}
		if rapid.Bool().Draw(t, "conv") {
			c := &models.Conv{}
			for _, at := range []*int64{&c.H, &c.W, &c.P, &c.Q, &c.R, &c.S, &c.StrideH, &c.StrideW, &c.DilationH, &c.DilationW, &c.PadH, &c.PadW} {
				*at = extent.Draw(t, "window")
			}
			l.Conv, l.M, l.K = c, l.M*c.P*c.Q, l.K*c.R*c.S
		}
		return l
	})
	rapid.Check(t, func(t *rapid.T) {
		m := models.Model{Name: text.Draw(t, "name"), Notes: rapid.SliceOfN(text, 1, 3).Draw(t, "notes"), OtherParameters: rapid.Int64Range(0, 9).Draw(t, "other")}
		m.Layers = rapid.SliceOfNDistinct(layer, 1, 4, func(l models.Layer) string { return l.Name }).Draw(t, "layers")
		roundTrip(t, m)
	})
}
