package file

import (
	"errors"
	"slices"
	"strings"

	"github.com/npu-tune/npu-tune/internal/yamltree"
	"github.com/npu-tune/npu-tune/models"
)

// The keys of the two ways to write a layer. Those of a convolution without a
// default come first.
var (
	gemmKeys = []string{"m", "n", "k", "batch", "conv"}
	convKeys = []string{"channels", "height", "width", "filters", "kernel", "images", "stride", "padding", "dilation", "groups"}
)

const convNeeds = 5 // of convKeys

// layer reads a layer, of whichever kind it is.
func layer(f *yamltree.Fields) models.Layer {
	before := len(f.Problems())
	f.Ask(slices.Concat([]string{"name", "no_input_grad", "activations", "count"}, gemmKeys, convKeys)...)
	l := models.Layer{
		Name:        text(f, "name"),
		NoInputGrad: f.Bool("no_input_grad"),
		Activations: f.Bool("activations"),
		Count:       f.Int("count", 1, models.MaxDim, 0),
	}
	gemm, conv := given(f, gemmKeys), given(f, convKeys)
	switch {
	case len(gemm) > 0 && len(conv) > 0:
		f.Badf(conv[0], "and %s are both given, want either %s or a convolution with %s",
			gemm[0], "m, n, k", strings.Join(convKeys[:convNeeds], ", "))
	case len(conv) > 0:
		convolution(f, &l)
	default:
		gemmOf(f, &l)
	}
	f.Unknown()
	if l.Count == 1 {
		l.Count = 0
	}
	if l.Batch == 1 {
		l.Batch = 0
	}
	if len(f.Problems()) == before {
		validate(f, l)
	}
	return l
}

// given returns those of the keys that the mapping has.
func given(f *yamltree.Fields, keys []string) []string {
	var found []string
	for _, k := range keys {
		if f.Has(k) {
			found = append(found, k)
		}
	}
	return found
}

// need returns a whole number that has no default.
func need(f *yamltree.Fields, key string, low int64) int64 {
	if !f.Has(key) {
		f.Missing(key, "a whole number from %d to %d", low, models.MaxDim)
		return low
	}
	return f.Int(key, low, models.MaxDim, low)
}

// gemmOf reads a layer that is written as a GEMM, with its window if it has one.
func gemmOf(f *yamltree.Fields, l *models.Layer) {
	l.M, l.N, l.K = need(f, "m", 1), need(f, "n", 1), need(f, "k", 1)
	l.Batch = f.Int("batch", 1, models.MaxDim, 0)
	if f.Value("conv") == nil {
		return
	}
	w := f.Within("conv")
	w.Ask("h", "w", "p", "q", "r", "s", "stride_h", "stride_w", "dilation_h", "dilation_w", "pad_h", "pad_w")
	c := &models.Conv{
		H: need(w, "h", 1), W: need(w, "w", 1), P: need(w, "p", 1), Q: need(w, "q", 1), R: need(w, "r", 1), S: need(w, "s", 1),
		StrideH: w.Int("stride_h", 1, models.MaxDim, 1), StrideW: w.Int("stride_w", 1, models.MaxDim, 1),
		DilationH: w.Int("dilation_h", 1, models.MaxDim, 1), DilationW: w.Int("dilation_w", 1, models.MaxDim, 1),
		PadH: w.Int("pad_h", 0, models.MaxDim, 0), PadW: w.Int("pad_w", 0, models.MaxDim, 0),
	}
	w.Unknown()
	l.Conv = c
}

// validate reports what models.Layer.Validate does, without the name that the
// field's place says already.
func validate(f *yamltree.Fields, l models.Layer) {
	l.Name = ""
	err := l.Validate()
	if err == nil {
		return
	}
	for line := range strings.Lines(errors.Join(err).Error()) {
		_, text, _ := strings.Cut(strings.TrimSpace(line), `"": `)
		key, _, _ := strings.Cut(text, " ")
		f.Badf(key, "%s", strings.TrimPrefix(text, key+" "))
	}
}
