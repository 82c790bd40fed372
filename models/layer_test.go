package models_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/npu-tune/npu-tune/models"
)

// window is a 3x3 convolution of stride 2 over a 9x7 image, padded by 1.
func window() *models.Conv {
	return &models.Conv{
		H: 9, W: 7, P: 5, Q: 4, R: 3, S: 3,
		StrideH: 2, StrideW: 2, DilationH: 1, DilationW: 1, PadH: 1, PadW: 1,
	}
}

func TestLayerFigures(t *testing.T) {
	for _, c := range []struct {
		name             string
		layer            models.Layer
		macs, parameters int64
		batches, count   int64
	}{
		{"plain", models.Layer{M: 2, N: 3, K: 5}, 30, 15, 1, 1},
		{"grouped", models.Layer{M: 2, N: 3, K: 5, Batch: 7}, 210, 105, 7, 1},
		{"repeated: figures are of one occurrence", models.Layer{M: 2, N: 3, K: 5, Count: 4}, 30, 15, 1, 4},
		{"two activations hold no parameters", models.Layer{M: 2, N: 3, K: 5, Batch: 7, Activations: true}, 210, 0, 7, 1},
	} {
		l := c.layer
		if l.MACs() != c.macs || l.Parameters() != c.parameters || l.Batches() != c.batches || l.Occurrences() != c.count {
			t.Errorf("%s: %d MACs, %d parameters, %d batches, %d occurrences; want %d, %d, %d, %d", c.name,
				l.MACs(), l.Parameters(), l.Batches(), l.Occurrences(), c.macs, c.parameters, c.batches, c.count)
		}
	}
}

func TestLayerValidate(t *testing.T) {
	good := models.Layer{Name: "conv", M: 2 * 5 * 4, N: 8, K: 4 * 9, Conv: window()}
	for _, c := range []struct {
		name  string
		spoil func(l *models.Layer)
		says  []string // empty: valid
	}{
		{"as it is", func(*models.Layer) {}, nil},
		{"no window", func(l *models.Layer) { l.Conv = nil; l.M, l.K = 7, 11 }, nil},
		{"largest", func(l *models.Layer) { l.N = models.MaxDim }, nil},
		{"zero m", func(l *models.Layer) { l.M = 0 }, []string{"m is 0, want 1 to 2147483648"}},
		{"too large", func(l *models.Layer) { l.N = models.MaxDim + 1 }, []string{"n is 2147483649"}},
		{"negative k", func(l *models.Layer) { l.K = -9 }, []string{"k is -9"}},
		{"negative batch", func(l *models.Layer) { l.Batch = -1 }, []string{"batch is -1, want 0 to"}},
		{"negative count", func(l *models.Layer) { l.Count = -1 }, []string{"count is -1, want 0 to"}},
		{"everything at once", func(l *models.Layer) { l.M, l.N, l.K = 0, 0, 0 }, []string{"m is 0", "n is 0", "k is 0"}},
		{"no outputs", func(l *models.Layer) { l.Conv.P = 0 }, []string{"conv.p is 0"}},
		{"no stride", func(l *models.Layer) { l.Conv.StrideW = 0 }, []string{"conv.stride_w is 0"}},
		{"no dilation", func(l *models.Layer) { l.Conv.DilationH = 0 }, []string{"conv.dilation_h is 0"}},
		{"negative padding", func(l *models.Layer) { l.Conv.PadH = -1 }, []string{"conv.pad_h is -1, want 0 to"}},
		{"part of an image", func(l *models.Layer) { l.M = 30 }, []string{"m is 30, want a multiple of conv.p·conv.q = 20"}},
		{"part of a channel", func(l *models.Layer) { l.K = 35 }, []string{"k is 35, want a multiple of conv.r·conv.s = 9"}},
	} {
		l := good
		l.Conv = window()
		c.spoil(&l)
		err := l.Validate()
		if (err != nil) != (len(c.says) > 0) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.says)
			continue
		}
		for _, s := range c.says {
			if !errors.Is(err, models.ErrLayer) || !strings.Contains(err.Error(), s) || !strings.Contains(err.Error(), `"conv"`) {
				t.Errorf("%s: %v, want %q of layer \"conv\"", c.name, err, s)
			}
		}
	}
}

func TestSameProblem(t *testing.T) {
	base := models.Layer{Name: "a", M: 40, N: 8, K: 36, Conv: window()}
	for _, c := range []struct {
		name   string
		change func(l *models.Layer)
		same   bool
	}{
		{"name", func(l *models.Layer) { l.Name = "b" }, true},
		{"count", func(l *models.Layer) { l.Count = 3 }, true},
		{"batch written out", func(l *models.Layer) { l.Batch = 1 }, true},
		{"m", func(l *models.Layer) { l.M = 20 }, false},
		{"n", func(l *models.Layer) { l.N = 9 }, false},
		{"k", func(l *models.Layer) { l.K = 27 }, false},
		{"batch", func(l *models.Layer) { l.Batch = 2 }, false},
		{"input gradient", func(l *models.Layer) { l.NoInputGrad = true }, false},
		{"no window", func(l *models.Layer) { l.Conv = nil }, false},
		{"another window", func(l *models.Layer) { l.Conv.StrideH = 1 }, false},
	} {
		other := base
		other.Conv = window()
		c.change(&other)
		if base.SameProblem(other) != c.same || other.SameProblem(base) != c.same {
			t.Errorf("%s: same problem is not %v both ways", c.name, c.same)
		}
	}
}

func TestSameProblemIsAnEquivalence(t *testing.T) {
	layer := rapid.Custom(func(t *rapid.T) models.Layer {
		l := models.Layer{
			M: rapid.Int64Range(1, 2).Draw(t, "m"), N: 1, K: 1,
			Batch:       rapid.Int64Range(0, 2).Draw(t, "batch"),
			NoInputGrad: rapid.Bool().Draw(t, "leaf"),
		}
		if rapid.Bool().Draw(t, "window") {
			l.Conv = window()
			l.Conv.R = rapid.Int64Range(1, 2).Draw(t, "r")
		}
		return l
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := layer.Draw(t, "a"), layer.Draw(t, "b"), layer.Draw(t, "c")
		if !a.SameProblem(a) || a.SameProblem(b) != b.SameProblem(a) {
			t.Error("not reflexive or not symmetric")
		}
		if a.SameProblem(b) && b.SameProblem(c) && !a.SameProblem(c) {
			t.Error("not transitive")
		}
	})
}
