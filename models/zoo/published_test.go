package zoo_test

import (
	"math"
	"testing"

	"github.com/npu-tune/npu-tune/models/zoo"
)

// published figures of one image or sequence at the default size. A tolerance is
// half a unit of the last digit that the source prints; 0 means exact.
var published = []struct {
	name               string
	params, paramsWide int64
	macs, macsWide     float64
	source             string
}{
	{"mobilenetv2", 3_504_872, 0, 0.301e9, 0.0005e9, "torchvision MobileNet_V2_Weights: num_params, GFLOPS"},
	{"resnet18", 11_689_512, 0, 1.814e9, 0.0005e9, "torchvision ResNet18_Weights: num_params, GFLOPS"},
	{"resnet50", 25_557_032, 0, 4.089e9, 0.0005e9, "torchvision ResNet50_Weights: num_params, GFLOPS"},
	{"vgg16", 138_357_544, 0, 15.47e9, 0.0005e9, "torchvision VGG16_Weights: num_params, GFLOPS"},

	{"bert-base", 109_482_240, 0, 22.5e9 / 2, 0.1e9, "transformers BertModel bert-base-uncased; FLOPs of TinyBERT, arXiv:1909.10351, table 1"},
	{"bert-large", 335_141_888, 0, 0, 0, "transformers BertModel bert-large-uncased"},
	{"gpt2", 124_439_808, 0, 291_648_307_200 / 2, 0, "transformers GPT2Model; FLOPs of nanoGPT transformer_sizing.ipynb, exact"},
	{"gpt3-175b", 174_600e6, 50e6, 0, 0, "arXiv:2005.14165, table D.1: 174,600 M"},
	{"llama3-8b", 8_030_261_248, 0, 0, 0, "Meta-Llama-3-8B model card: safetensors parameters"},
	{"llama3-70b", 70_553_706_496, 0, 0, 0, "Meta-Llama-3-70B model card: safetensors parameters"},
}

func TestPublishedCounts(t *testing.T) {
	for _, p := range published {
		t.Run(p.name, func(t *testing.T) {
			m, err := zoo.Build(p.name, zoo.Options{Batch: 1})
			if err != nil {
				t.Fatal(err)
			}
			if d := m.Parameters() - p.params; d > p.paramsWide || -d > p.paramsWide {
				t.Errorf("%d parameters, want %d ± %d (%s)", m.Parameters(), p.params, p.paramsWide, p.source)
			}
			if p.macs != 0 && math.Abs(float64(m.MACs())-p.macs) > p.macsWide {
				t.Errorf("%d MACs, want %.0f ± %.0f (%s)", m.MACs(), p.macs, p.macsWide, p.source)
			}
		})
	}
}

// PaLM (arXiv:2204.02311, appendix B) counts 6N + 12·L·H·Q·T FLOPs for a token
// forward and backward, so N + 2·L·H·Q·T MACs forward: N parameters that
// multiply, L layers of H heads, Q features a head, T tokens.
func TestTransformerMACsFollowPaLM(t *testing.T) {
	for _, p := range []struct {
		name            string
		n, l, h, q, seq int64
	}{
		// N is written out per layer here, from the tables of the papers.
		{"bert-large", 24 * 12 * 1024 * 1024, 24, 16, 64, 128},
		{"gpt3-175b", 96*12*12288*12288 + 50257*12288, 96, 96, 128, 2048},
		{"llama3-8b", 32*(2*4096*4096+2*4096*1024+3*4096*14336) + 128256*4096, 32, 32, 128, 8192},
		{"llama3-70b", 80*(2*8192*8192+2*8192*1024+3*8192*28672) + 128256*8192, 80, 64, 128, 8192},
	} {
		m, err := zoo.Build(p.name, zoo.Options{Batch: 2, Seq: p.seq})
		if err != nil {
			t.Fatal(err)
		}
		want := 2 * p.seq * (p.n + 2*p.l*p.h*p.q*p.seq)
		if p.name == "bert-large" {
			want += 2 * 1024 * 1024 // the pooler: once per sequence, not per token
		}
		if m.MACs() != want {
			t.Errorf("%s: %d MACs, want %d", p.name, m.MACs(), want)
		}
	}
}
