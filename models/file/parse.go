package file

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/npu-tune/npu-tune/internal/yamltree"
	"github.com/npu-tune/npu-tune/models"
)

// ErrFile is wrapped by every error about what a model file holds.
var ErrFile = errors.New("invalid model file")

const (
	maxBytes  = 4 << 20 // of a file
	maxDepth  = 16
	maxLayers = 100_000
	maxText   = 1000 // bytes of a name or a note

	// maxMACs bounds a forward pass, so that no sum over passes and layers
	// overflows 64 bits.
	maxMACs = float64(1 << 60)
)

// Load reads a model from a file; see Parse.
func Load(path string) (models.Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return models.Model{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return models.Model{}, err
	}
	return Parse(data, path)
}

// Parse reads a model from YAML or JSON. name stands for the file in errors,
// and its last element without extension for a model whose file gives no name.
// Layers without a name are called layer1, layer2 and so on by their places.
//
// Errors wrap ErrFile and give file, line and field: all unknown and duplicate
// keys, values out of range and shapes that do not belong together at once,
// else the first error of syntax.
func Parse(data []byte, name string) (models.Model, error) {
	problems := yamltree.NewProblems(name, ErrFile)
	root, err := yamltree.Parse(data, yamltree.Limits{Bytes: maxBytes, Depth: maxDepth})
	if err != nil {
		problems.Syntax(err)
		return models.Model{}, problems.Err()
	}
	if root.Kind == yamltree.Null {
		problems.Addf(0, "the file is empty, want a mapping with layers")
		return models.Model{}, problems.Err()
	}
	m := model(problems.Fields(root, ""), problems)
	if m.Name == "" {
		base := filepath.Base(name)
		m.Name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	return m, problems.Err()
}

func model(f *yamltree.Fields, problems *yamltree.Problems) models.Model {
	m := models.Model{Name: text(f, "name")}
	items := f.Items("layers")
	m.OtherParameters = f.Int("other_parameters", 0, maxParameters, 0)
	for i, n := range f.Items("notes") {
		if n.Kind == yamltree.List || n.Kind == yamltree.Map || n.Text == "" || len(n.Text) > maxText {
			problems.Addf(n.Line, "notes[%d] is %s, want a text of 1 to %d bytes", i, n.Describe(), maxText)
			continue
		}
		m.Notes = append(m.Notes, n.Text)
	}
	f.Unknown()
	if f.Value("layers") == nil || len(items) == 0 {
		if problems.Count() == 0 {
			problems.Addf(f.Line, "layers is missing or empty, want a list such as [{m: 128, n: 512, k: 784}]")
		}
		return m
	}
	if len(items) > maxLayers {
		f.Badf("layers", "has %d layers, want at most %d", len(items), maxLayers)
		return m
	}
	var macs float64
	places := map[string]int{}
	for i, n := range items {
		l := layer(problems.Fields(n, fmt.Sprintf("layers[%d]", i)))
		if l.Name == "" {
			l.Name = fmt.Sprintf("layer%d", i+1)
		}
		if first, twice := places[l.Name]; twice {
			problems.Addf(n.Line, "layers[%d] is called %q as layers[%d] is, want another name", i, l.Name, first)
		}
		places[l.Name] = i
		m.Layers = append(m.Layers, l)
		macs += float64(l.M) * float64(l.N) * float64(l.K) * float64(l.Batches()) * float64(l.Occurrences())
	}
	if problems.Count() == 0 && macs > maxMACs {
		f.Badf("layers", "take %.3g multiply-accumulates in all, want at most %.3g", macs, maxMACs)
	}
	return m
}

const maxParameters = int64(1) << 60

// text returns a text of bounded length.
func text(f *yamltree.Fields, key string) string {
	s := f.Text(key)
	if len(s) > maxText {
		f.Badf(key, "has %d bytes, want at most %d", len(s), maxText)
		return ""
	}
	return s
}
