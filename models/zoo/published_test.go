package zoo_test

import (
	"math"
	"strings"
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
	{"alexnet", 61_100_840, 0, 0.714e9, 0.0005e9, "torchvision AlexNet_Weights: num_params, GFLOPS"},
	{"googlenet", 6_998_552, 0, 0, 0, "Caffe bvlc_googlenet without the auxiliary classifiers"},
	{"mobilenetv2", 3_504_872, 0, 0.301e9, 0.0005e9, "torchvision MobileNet_V2_Weights: num_params, GFLOPS"},
	{"resnet18", 11_689_512, 0, 1.814e9, 0.0005e9, "torchvision ResNet18_Weights: num_params, GFLOPS"},
	{"resnet50", 25_557_032, 0, 4.089e9, 0.0005e9, "torchvision ResNet50_Weights: num_params, GFLOPS"},
	{"squeezenet", 1_248_424, 0, 0.819e9, 0.0005e9, "torchvision SqueezeNet1_0_Weights: num_params, GFLOPS"},
	{"vgg16", 138_357_544, 0, 15.47e9, 0.0005e9, "torchvision VGG16_Weights: num_params, GFLOPS"},
	{"vgg19", 143_667_240, 0, 19.632e9, 0.0005e9, "torchvision VGG19_Weights: num_params, GFLOPS"},

	{"mobilenet", 4_231_976, 0, 569e6, 0.5e6, "arXiv:1704.04861, table 4: 569 M mult-adds, 4.2 M; parameters of PyTorch ports, with batch normalization"},
	{"fasterrcnn", 19_386_354, 0, 0, 0, "torchvision FasterRCNN_MobileNet_V3_Large_FPN_Weights: num_params"},
	{"yolov2-tiny", 11_229_000 + 2_544, 1000, 5.41e9 / 2, 0.005e9 / 2, "OpenVINO yolo-v2-tiny-tf: 11.229 M, whose batch normalization is folded into 2544 biases; Darknet: 5.41 Bn FLOPs"},
	{"yolov5l", 46_533_693 + 30_016, 0, 109.1e9 / 2, 0.1e9, "YOLOv5 v6.0: fused model summary 46533693 parameters, 109.1 GFLOPs"},

	{"bert-base", 109_482_240, 0, 22.5e9 / 2, 0.1e9, "transformers BertModel bert-base-uncased; FLOPs of TinyBERT, arXiv:1909.10351, table 1"},
	{"bert-large", 335_141_888, 0, 0, 0, "transformers BertModel bert-large-uncased"},
	{"bert-tiny", 14_350_248, 0, 1.2e9 / 2, 0.05e9 / 2, "transformers TinyBERT_General_4L_312D; arXiv:1909.10351, table 1: 14.5 M, 1.2 B FLOPs"},
	{"gpt2", 124_439_808, 0, 291_648_307_200 / 2, 0, "transformers GPT2Model; FLOPs of nanoGPT transformer_sizing.ipynb, exact"},
	{"gpt3-175b", 174_600e6, 50e6, 0, 0, "arXiv:2005.14165, table D.1: 174,600 M"},
	{"llama3-8b", 8_030_261_248, 0, 0, 0, "Meta-Llama-3-8B model card: safetensors parameters"},
	{"llama3-70b", 70_553_706_496, 0, 0, 0, "Meta-Llama-3-70B model card: safetensors parameters"},
	{"t5-small", 60_506_624, 0, 0, 0, "transformers T5ForConditionalGeneration t5-small"},
	{"t5-large", 737_668_096, 0, 0, 0, "transformers T5ForConditionalGeneration t5-large"},

	{"ncf", 31_832_577, 0, 0, 0, "MLPerf Training v0.5 reference log, MovieLens 20M"},
	{"dlrm", 24.5e9, 0.5e9, 0, 0, "MLPerf Training v0.7: about 24 to 25 billion parameters"},
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

// T5 (arXiv:1910.10683) in the same terms: an encoder layer has four projections,
// a decoder layer eight, both a feed-forward network; three attentions a pair.
func TestT5MACs(t *testing.T) {
	const layers, d, inner, vocabulary, seq = 6, 512, 2048, 32128, 512
	m, err := zoo.Build("t5-small", zoo.Options{Batch: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := int64(seq * (layers*(12*d*d+4*d*inner+3*2*seq*d) + vocabulary*d))
	if m.MACs() != want {
		t.Errorf("%d MACs, want %d", m.MACs(), want)
	}
}

// GoogLeNet's paper (arXiv:1409.4842, table 1) prints the operations of each
// block in millions. Left out: the first convolution, whose 34M do not fit a 7x7
// of 64 filters, and inception 5a, whose 54M do not fit its row's channels.
// Its column of parameters contradicts the one of operations in three rows.
func TestGoogLeNetTable(t *testing.T) {
	m, err := zoo.Build("googlenet", zoo.Options{Batch: 1})
	if err != nil {
		t.Fatal(err)
	}
	block := map[string]float64{}
	for _, l := range m.Layers {
		name, _, _ := strings.Cut(l.Name, ".")
		block[name] += float64(l.MACs()) / 1e6
	}
	block["conv2+conv3"] = block["conv2"] + block["conv3"]
	for name, want := range map[string]float64{
		"conv2+conv3": 360, "inception3a": 128, "inception3b": 304,
		"inception4a": 73, "inception4b": 88, "inception4c": 100, "inception4d": 119, "inception4e": 170,
		"inception5b": 71, "fc": 1,
	} {
		if math.Abs(block[name]-want) > 1 {
			t.Errorf("%s: %.1fM operations, want %.0fM ± 1M", name, block[name], want)
		}
	}
}

// Folding batch normalization turns scale and shift of a channel into one bias:
// that is what the folded counts above add back.
func TestFoldedNormalization(t *testing.T) {
	for name, want := range map[string]int64{"yolov2-tiny": 2_544, "yolov5l": 30_016} {
		m, err := zoo.Build(name, zoo.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var channels int64
		for _, l := range m.Layers {
			if l.N != 425 && l.N != 255 { // the detectors have biases of their own
				channels += l.N
			}
		}
		if channels != want {
			t.Errorf("%s: %d normalized channels, want %d", name, channels, want)
		}
	}
}
