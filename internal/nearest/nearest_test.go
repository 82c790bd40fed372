package nearest_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/npu-tune/npu-tune/internal/nearest"
)

var (
	models = []string{"resnet18", "resnet50", "vgg16", "mobilenetv2", "bert-base", "bert-large", "gpt2", "llama3-8b"}
	keys   = []string{"rows", "cols", "clock_mhz", "spm_bytes", "spm_shared", "dram_gb_per_s", "dram_gb_per_s_per_core"}
)

func TestName(t *testing.T) {
	for _, c := range []struct {
		got   string
		names []string
		want  string // "" where nothing is near
	}{
		{"resnet50", models, "resnet50"},
		{"resent50", models, "resnet50"},  // transposed
		{"ResNet-50", models, "resnet50"}, // case and a dash
		{"renset18", models, "resnet18"},  //
		{"mobilnetv2", models, "mobilenetv2"},
		{"gpt", models, "gpt2"},
		{"bert", models, "bert-base"}, // a beginning; the first of two
		{"llama", models, "llama3-8b"},
		{"inception", models, ""},
		{"", models, ""},
		{"r", keys, ""},
		{"row", keys, "rows"},
		{"rosw", keys, "rows"}, // transposed
		{"clock_mz", keys, "clock_mhz"},
		{"dram_gbps", keys, "dram_gb_per_s"},
		{"colour", keys, ""},
		{"x", []string{"y"}, ""}, // nothing left of the name
		{"sächlich", []string{"sachlich"}, "sachlich"},
		{"resnet50", nil, ""},
		{strings.Repeat("resnet", 1<<18), models, ""},
	} {
		got, ok := nearest.Name(c.got, c.names)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("Name(%.20q) = %q, %v, want %q", c.got, got, ok, c.want)
		}
	}
}

func TestHint(t *testing.T) {
	if got, want := nearest.Hint("colour", keys), ""; got != want {
		t.Errorf("Hint(rosw) = %q, want %q", got, want)
	}
	if got, want := nearest.Hint("spm_byte", keys), `, did you mean "spm_bytes"?`; got != want {
		t.Errorf("Hint(spm_byte) = %q, want %q", got, want)
	}
}

func TestOneTypoIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(models).Draw(t, "name")
		at := rapid.IntRange(0, len(name)-1).Draw(t, "at")
		typo := name[:at] + name[at+1:]
		got, ok := nearest.Name(typo, models)
		if !ok || !slices.Contains(models, got) {
			t.Fatalf("Name(%q) = %q, %v", typo, got, ok)
		}
	})
}
