package models_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/npu-tune/npu-tune/models"
)

func TestModelFigures(t *testing.T) {
	m := models.Model{
		Name: "three",
		Layers: []models.Layer{
			{Name: "a", M: 2, N: 3, K: 5, Count: 2},
			{Name: "b", M: 2, N: 3, K: 5, Activations: true},
			{Name: "c", M: 1, N: 1, K: 10, Batch: 4},
		},
		OtherParameters: 100,
	}
	if got, want := m.MACs(), int64(2*30+30+40); got != want {
		t.Errorf("%d MACs, want %d", got, want)
	}
	if got, want := m.Parameters(), int64(2*15+0+40+100); got != want {
		t.Errorf("%d parameters, want %d", got, want)
	}
}

func TestModelValidate(t *testing.T) {
	layer := models.Layer{Name: "a", M: 1, N: 1, K: 1}
	for _, c := range []struct {
		name  string
		model models.Model
		says  []string
	}{
		{"valid", models.Model{Name: "m", Layers: []models.Layer{layer}}, nil},
		{"empty", models.Model{Name: "m"}, []string{`model "m" has no layers`}},
		{
			"every bad layer, with its place",
			models.Model{Name: "m", Layers: []models.Layer{{Name: "x", N: 1, K: 1}, layer, {Name: "z", M: 1, K: 1}}},
			[]string{"layers[0]:", "m is 0", "layers[2]:", "n is 0"},
		},
	} {
		err := c.model.Validate()
		if (err != nil) != (len(c.says) > 0) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.says)
			continue
		}
		for _, s := range c.says {
			if !errors.Is(err, models.ErrLayer) || !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %v, want %q", c.name, err, s)
			}
		}
	}
}

func TestDistinct(t *testing.T) {
	m := models.Model{Layers: []models.Layer{
		{Name: "first", M: 4, N: 4, K: 4, NoInputGrad: true},
		{Name: "a", M: 4, N: 4, K: 4},
		{Name: "b", M: 8, N: 4, K: 4, Count: 3},
		{Name: "c", M: 4, N: 4, K: 4, Count: 5},
		{Name: "d", M: 8, N: 4, K: 4},
	}}
	layers, members := m.Distinct()
	wantLayers := []models.Layer{
		{Name: "first", M: 4, N: 4, K: 4, NoInputGrad: true, Count: 1},
		{Name: "a", M: 4, N: 4, K: 4, Count: 6},
		{Name: "b", M: 8, N: 4, K: 4, Count: 4},
	}
	if diff := cmp.Diff(wantLayers, layers); diff != "" {
		t.Errorf("layers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]int{{0}, {1, 3}, {2, 4}}, members); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	if m.Layers[1].Count != 0 {
		t.Error("Distinct changed the model")
	}
}

// Merging loses no work and no layer, and nothing that is left is equal.
func TestDistinctIsAPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		small := rapid.Int64Range(1, 2)
		var m models.Model
		for range rapid.IntRange(0, 12).Draw(t, "layers") {
			m.Layers = append(m.Layers, models.Layer{
				M: small.Draw(t, "m"), N: small.Draw(t, "n"), K: 1,
				Batch: rapid.Int64Range(0, 2).Draw(t, "batch"),
				Count: rapid.Int64Range(0, 3).Draw(t, "count"),
			})
		}
		layers, members := m.Distinct()
		if got := (models.Model{Layers: layers}).MACs(); got != m.MACs() {
			t.Errorf("%d MACs, want %d", got, m.MACs())
		}
		seen := map[int]bool{}
		for i, indexes := range members {
			for _, j := range indexes {
				if seen[j] || !m.Layers[j].SameProblem(layers[i]) {
					t.Errorf("layer %d is in two groups or in the wrong one", j)
				}
				seen[j] = true
			}
			for j := range i {
				if layers[i].SameProblem(layers[j]) {
					t.Errorf("groups %d and %d pose the same problem", j, i)
				}
			}
		}
		if len(seen) != len(m.Layers) {
			t.Errorf("%d layers in groups, want %d", len(seen), len(m.Layers))
		}
	})
}
