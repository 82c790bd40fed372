package zoo_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/models/zoo"
)

func build(t testing.TB, name string, o zoo.Options) models.Model {
	t.Helper()
	m, err := zoo.Build(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// find returns the layer of that name.
func find(t *testing.T, m models.Model, name string) models.Layer {
	t.Helper()
	i := slices.IndexFunc(m.Layers, func(l models.Layer) bool { return l.Name == name })
	if i < 0 {
		t.Fatalf("%s has no layer %q", m.Name, name)
	}
	return m.Layers[i]
}

func TestEveryNetwork(t *testing.T) {
	if !slices.IsSorted(zoo.Names()) || len(slices.Compact(zoo.Names())) != len(zoo.Names()) {
		t.Errorf("names are not sorted and distinct: %q", zoo.Names())
	}
	for _, name := range zoo.Names() {
		t.Run(name, func(t *testing.T) {
			info, err := zoo.Describe(name)
			if err != nil {
				t.Fatal(err)
			}
			if info.Name != name || info.Title == "" || info.Source == "" {
				t.Errorf("incomplete description %+v", info)
			}
			if (info.Kind == zoo.Image) != (info.DefaultImage > 0) || (info.Kind == zoo.Sequence) != (info.DefaultSeq > 0) {
				t.Errorf("kind and default sizes disagree: %+v", info)
			}
			m := build(t, name, zoo.Options{})
			explicit := build(t, name, zoo.Options{Batch: zoo.DefaultBatch, Image: info.DefaultImage, Seq: info.DefaultSeq})
			if diff := cmp.Diff(m, explicit); diff != "" {
				t.Errorf("defaults written out build something else:\n%s", diff)
			}
			if m.Name != name || len(m.Notes) == 0 {
				t.Errorf("name %q, %d notes", m.Name, len(m.Notes))
			}
			names := map[string]bool{}
			for _, l := range m.Layers {
				if names[l.Name] {
					t.Errorf("two layers are called %q", l.Name)
				}
				names[l.Name] = true
				if l.Conv != nil {
					checkWindow(t, l)
				}
			}
		})
	}
}

// checkWindow asserts that the outputs of a window are those that fit its input.
func checkWindow(t *testing.T, l models.Layer) {
	t.Helper()
	c := l.Conv
	p := (c.H+2*c.PadH-c.DilationH*(c.R-1)-1)/c.StrideH + 1
	q := (c.W+2*c.PadW-c.DilationW*(c.S-1)-1)/c.StrideW + 1
	if c.P != p || c.Q != q {
		t.Errorf("%s: %dx%d outputs, want %dx%d", l.Name, c.P, c.Q, p, q)
	}
}

func TestFirstLayer(t *testing.T) {
	for _, name := range zoo.Names() {
		m := build(t, name, zoo.Options{})
		for i, l := range m.Layers {
			// Images and dense features hold nothing trainable; embeddings do.
			want := i == 0 && (l.Conv != nil || name == "dlrm")
			if l.NoInputGrad != want {
				t.Errorf("%s, layer %s: NoInputGrad is %v, want %v", name, l.Name, l.NoInputGrad, want)
			}
		}
	}
}

func TestBatchScalesMACs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(zoo.Names()).Draw(t, "name")
		batch := rapid.Int64Range(1, 64).Draw(t, "batch")
		one, err := zoo.Build(name, zoo.Options{Batch: 1})
		if err != nil {
			t.Fatal(err)
		}
		many, err := zoo.Build(name, zoo.Options{Batch: batch})
		if err != nil {
			t.Fatal(err)
		}
		if many.MACs() != batch*one.MACs() {
			t.Errorf("%s at batch %d: %d MACs, want %d times %d", name, batch, many.MACs(), batch, one.MACs())
		}
		if many.Parameters() != one.Parameters() {
			t.Errorf("%s at batch %d: %d parameters, want %d", name, batch, many.Parameters(), one.Parameters())
		}
	})
}

func TestDistinct(t *testing.T) {
	for name, want := range map[string]int{
		"resnet18": 12, "resnet50": 24, "vgg16": 12,
		"bert-base": 6, // projection, scores, context, two of the feed-forward network, pooler
		"gpt2":      7, // qkv, scores, context, projection, two of the feed-forward network, head
		"llama3-8b": 7, // q and o, k and v, scores, context, gate and up, down, head
	} {
		m := build(t, name, zoo.Options{Batch: 4})
		layers, members := m.Distinct()
		if len(layers) != want || len(members) != want {
			t.Errorf("%s: %d distinct layers, want %d", name, len(layers), want)
		}
	}
}

func TestLayers(t *testing.T) {
	for _, c := range []struct {
		network string
		options zoo.Options
		want    models.Layer
	}{
		{"resnet50", zoo.Options{Batch: 4}, models.Layer{
			Name: "conv1", M: 4 * 112 * 112, N: 64, K: 3 * 49, NoInputGrad: true,
			Conv: &models.Conv{H: 224, W: 224, P: 112, Q: 112, R: 7, S: 7, StrideH: 2, StrideW: 2, DilationH: 1, DilationW: 1, PadH: 3, PadW: 3},
		}},
		{"resnet50", zoo.Options{Batch: 4}, models.Layer{
			Name: "layer2.0.conv1", M: 4 * 56 * 56, N: 128, K: 256, // v1.5: not yet halved
			Conv: &models.Conv{H: 56, W: 56, P: 56, Q: 56, R: 1, S: 1, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1},
		}},
		{"resnet50", zoo.Options{Batch: 4}, models.Layer{
			Name: "layer2.0.conv2", M: 4 * 28 * 28, N: 128, K: 128 * 9,
			Conv: &models.Conv{H: 56, W: 56, P: 28, Q: 28, R: 3, S: 3, StrideH: 2, StrideW: 2, DilationH: 1, DilationW: 1, PadH: 1, PadW: 1},
		}},
		{"resnet50", zoo.Options{Batch: 4}, models.Layer{
			Name: "layer4.0.downsample.0", M: 4 * 7 * 7, N: 2048, K: 1024,
			Conv: &models.Conv{H: 14, W: 14, P: 7, Q: 7, R: 1, S: 1, StrideH: 2, StrideW: 2, DilationH: 1, DilationW: 1},
		}},
		{"resnet50", zoo.Options{Batch: 4}, models.Layer{Name: "fc", M: 4, N: 1000, K: 2048}},
		{"mobilenetv2", zoo.Options{Batch: 2}, models.Layer{
			Name: "features.2.conv.1.0", M: 2 * 56 * 56, N: 1, K: 9, Batch: 96, // depthwise
			Conv: &models.Conv{H: 112, W: 112, P: 56, Q: 56, R: 3, S: 3, StrideH: 2, StrideW: 2, DilationH: 1, DilationW: 1, PadH: 1, PadW: 1},
		}},
		{"vgg16", zoo.Options{}, models.Layer{Name: "classifier.0", M: 4, N: 4096, K: 25088}},
		{"bert-base", zoo.Options{Batch: 4, Seq: 512}, models.Layer{
			Name: "encoder.layer.11.attention.self.scores", M: 512, N: 512, K: 64, Batch: 4 * 12, Activations: true,
		}},
		{"bert-base", zoo.Options{Batch: 4, Seq: 512}, models.Layer{
			Name: "encoder.layer.11.attention.self.context", M: 512, N: 64, K: 512, Batch: 4 * 12, Activations: true,
		}},
		// Four query heads share a head of keys and values.
		{"llama3-8b", zoo.Options{Batch: 2, Seq: 100}, models.Layer{
			Name: "model.layers.0.self_attn.scores", M: 4 * 100, N: 100, K: 128, Batch: 2 * 8, Activations: true,
		}},
		{"llama3-8b", zoo.Options{Batch: 2, Seq: 100}, models.Layer{
			Name: "model.layers.0.self_attn.context", M: 4 * 100, N: 128, K: 100, Batch: 2 * 8, Activations: true,
		}},
		{"dlrm", zoo.Options{Batch: 8}, models.Layer{Name: "bot_l.0", M: 8, N: 512, K: 13, NoInputGrad: true}},
		{"dlrm", zoo.Options{Batch: 8}, models.Layer{Name: "interaction", M: 27, N: 27, K: 128, Batch: 8, Activations: true}},
		{"dlrm", zoo.Options{Batch: 8}, models.Layer{Name: "top_l.0", M: 8, N: 1024, K: 479}},
		{"ncf", zoo.Options{Batch: 8}, models.Layer{Name: "final", M: 8, N: 1, K: 128}},
		{"t5-small", zoo.Options{Batch: 2, Seq: 100}, models.Layer{
			Name: "decoder.block.5.layer.1.EncDecAttention.scores", M: 100, N: 100, K: 64, Batch: 2 * 8, Activations: true,
		}},
		{"fasterrcnn", zoo.Options{Batch: 2}, models.Layer{Name: "roi_heads.box_head.fc6", M: 2 * 512, N: 1024, K: 12544}},
		{"fasterrcnn", zoo.Options{Batch: 2}, models.Layer{
			Name: "rpn.head.cls_logits.level2", M: 2 * 13 * 13, N: 15, K: 256, Activations: true, // weights of level 0
			Conv: &models.Conv{H: 13, W: 13, P: 13, Q: 13, R: 1, S: 1, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1},
		}},
		{"fasterrcnn", zoo.Options{Batch: 2}, models.Layer{Name: "backbone.body.4.block.2.fc1", M: 2, N: 24, K: 72,
			Conv: &models.Conv{H: 1, W: 1, P: 1, Q: 1, R: 1, S: 1, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1},
		}},
		{"yolov5l", zoo.Options{Batch: 1}, models.Layer{
			Name: "model.13.cv1.conv", M: 40 * 40, N: 256, K: 1024, // joined with the backbone
			Conv: &models.Conv{H: 40, W: 40, P: 40, Q: 40, R: 1, S: 1, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1},
		}},
		{"gpt2", zoo.Options{Batch: 2}, models.Layer{Name: "lm_head", M: 2 * 1024, N: 50257, K: 768}},
	} {
		got := find(t, build(t, c.network, c.options), c.want.Name)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.network, diff)
		}
	}
}

// In a chain, what one convolution writes is what the next one reads, halved
// where a pooling stands between.
func TestVGGChain(t *testing.T) {
	m := build(t, "vgg16", zoo.Options{Batch: 1})
	channels, size := int64(3), int64(224)
	for _, l := range m.Layers[:13] {
		if l.K != channels*9 || l.Conv.H != l.Conv.W {
			t.Errorf("%s reads K %d of %dx%d, want %d channels, square", l.Name, l.K, l.Conv.H, l.Conv.W, channels)
		}
		if l.Conv.H != size && l.Conv.H != size/2 {
			t.Errorf("%s reads %d rows after %d", l.Name, l.Conv.H, size)
		}
		channels, size = l.N, l.Conv.P
	}
	if channels != 512 || size != 14 {
		t.Errorf("ends with %d channels of %d rows, want 512 of 14", channels, size)
	}
}

// Within a residual block the main path is a chain, and the shortcut joins its
// ends.
func TestResNetChain(t *testing.T) {
	for _, name := range []string{"resnet18", "resnet50"} {
		m := build(t, name, zoo.Options{Batch: 1, Image: 160})
		var entry, previous models.Layer
		for _, l := range m.Layers[1 : len(m.Layers)-1] {
			channels := l.K / (l.Conv.R * l.Conv.S)
			switch {
			case strings.HasSuffix(l.Name, "downsample.0"):
				if channels != entry.K/(entry.Conv.R*entry.Conv.S) || l.Conv.H != entry.Conv.H || l.N != previous.N || l.Conv.P != previous.Conv.P {
					t.Errorf("%s: %s does not join the ends of its block", name, l.Name)
				}
				continue
			case strings.HasSuffix(l.Name, "conv1"):
				entry = l
			}
			if previous.Conv != nil && (channels != previous.N || l.Conv.H != previous.Conv.P || l.Conv.W != previous.Conv.Q) {
				t.Errorf("%s: %s reads %dx%dx%d, but %s writes %dx%dx%d", name, l.Name,
					channels, l.Conv.H, l.Conv.W, previous.Name, previous.N, previous.Conv.P, previous.Conv.Q)
			}
			previous = l
		}
	}
}

func TestBadOptions(t *testing.T) {
	for _, c := range []struct {
		name    string
		options zoo.Options
		is      error
		says    string
	}{
		{"resnet51", zoo.Options{}, zoo.ErrUnknown, `"resnet51", want one of`},
		{"", zoo.Options{}, zoo.ErrUnknown, "want one of"},
		{"resnet50", zoo.Options{Batch: -1}, zoo.ErrOption, "batch is -1, want 1 to 2147483648"},
		{"resnet50", zoo.Options{Image: -1}, zoo.ErrOption, "image is -1"},
		{"resnet50", zoo.Options{Seq: 128}, zoo.ErrOption, "seq is 128, but resnet50 takes none"},
		{"bert-base", zoo.Options{Image: 224}, zoo.ErrOption, "image is 224, but bert-base takes none"},
		{"bert-base", zoo.Options{Seq: 513}, zoo.ErrOption, "seq is 513, want 1 to 512"},
		{"gpt2", zoo.Options{Seq: 1025}, zoo.ErrOption, "want 1 to 1024"},
		{"yolov5l", zoo.Options{Image: 650}, zoo.ErrOption, "image is 650, want a multiple of 32"},
		{"dlrm", zoo.Options{Seq: 1}, zoo.ErrOption, "seq is 1, but dlrm takes none"},
		{"vgg16", zoo.Options{Image: 31}, zoo.ErrOption, "image is 31, too small for vgg16: features.30"},
		{"resnet50", zoo.Options{Batch: 1 << 31}, zoo.ErrOption, "conv1"},
		{"resnet50", zoo.Options{Batch: 1<<31 + 1}, zoo.ErrOption, "batch is 2147483649"},
		{"resnet50", zoo.Options{Image: 1 << 31}, zoo.ErrOption, "conv1"},
		{"llama3-8b", zoo.Options{Batch: 1, Seq: 1 << 29}, zoo.ErrOption, "multiply-accumulates"},
		{"llama3-8b", zoo.Options{Batch: 1 << 31, Seq: 1 << 31}, zoo.ErrOption, "tokens"},
	} {
		m, err := zoo.Build(c.name, c.options)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %+v: %v, want %q", c.name, c.options, err, c.says)
		}
		if len(m.Layers) != 0 {
			t.Errorf("%s %+v: layers with an error", c.name, c.options)
		}
	}
	if _, err := zoo.Describe("resnet51"); !errors.Is(err, zoo.ErrUnknown) {
		t.Errorf("Describe: %v, want ErrUnknown", err)
	}
	_, err := zoo.Build("bert-base", zoo.Options{Batch: -1, Image: 1, Seq: 1000})
	if got := strings.Count(err.Error(), zoo.ErrOption.Error()); got != 3 {
		t.Errorf("%d violations reported, want all 3: %v", got, err)
	}
}

// The smallest images are torchvision's min_size, except GoogLeNet's: its fourth
// pooling is 3x3 as published, torchvision's 2x2.
func TestSmallestImage(t *testing.T) {
	for name, side := range map[string]int64{"resnet18": 1, "resnet50": 1, "mobilenetv2": 1, "vgg16": 32, "vgg19": 32, "alexnet": 63, "googlenet": 31, "squeezenet": 21} {
		build(t, name, zoo.Options{Image: side})
		if side > 1 {
			if _, err := zoo.Build(name, zoo.Options{Image: side - 1}); !errors.Is(err, zoo.ErrOption) {
				t.Errorf("%s at %d pixels: %v, want an error", name, side-1, err)
			}
		}
	}
}

func TestAnySizeIsBuiltOrRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(zoo.Names()).Draw(t, "name")
		o := zoo.Options{
			Batch: rapid.Int64().Draw(t, "batch"),
			Image: rapid.Int64().Draw(t, "image"),
			Seq:   rapid.Int64().Draw(t, "seq"),
		}
		m, err := zoo.Build(name, o)
		switch {
		case err != nil && !errors.Is(err, zoo.ErrOption):
			t.Errorf("%s %+v: %v, want ErrOption", name, o, err)
		case err == nil && (m.Validate() != nil || m.MACs() <= 0):
			t.Errorf("%s %+v: %v, %d MACs", name, o, m.Validate(), m.MACs())
		}
	})
}

func BenchmarkBuild(b *testing.B) {
	for _, name := range zoo.Names() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := zoo.Build(name, zoo.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
