package timeloop

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/npu-tune/npu-tune/internal/yamltree"
	"github.com/npu-tune/npu-tune/models"
)

var (
	// ErrProblem is wrapped by every error about what a problem file holds.
	ErrProblem = errors.New("cannot import Timeloop problem")
	// ErrArchitecture is wrapped too where the file describes no problem but an
	// architecture.
	ErrArchitecture = errors.New("an architecture")
)

var limits = yamltree.Limits{Bytes: 1 << 20, Depth: 32}

// maxMACs bounds a forward pass, so that no sum over passes overflows 64 bits.
const maxMACs = float64(1 << 60)

// Options sizes what a file leaves open.
type Options struct {
	// Dims sets dimensions and coefficients by name, over those of the file.
	Dims map[string]int64
}

// Load reads a problem from a file; see Parse.
func Load(path string, o Options) (models.Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return models.Model{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(limits.Bytes)+1))
	if err != nil {
		return models.Model{}, err
	}
	return Parse(data, path, o)
}

// Parse reads a problem, or a shape whose dimensions o gives. name stands for
// the file in errors, and its last element without extension is the model's
// name. Errors wrap ErrProblem and give file and line: all that is wrong, what
// it is and what would be right.
func Parse(data []byte, name string, o Options) (models.Model, error) {
	problems := yamltree.NewProblems(name, ErrProblem)
	fail := func() (models.Model, error) { return models.Model{}, problems.Err() }
	root, err := yamltree.Parse(data, limits)
	if err != nil {
		problems.Syntax(err)
		return fail()
	}
	top, ok := find(root, problems)
	if !ok {
		return fail()
	}
	s := readShape(top, problems)
	if problems.Count() > 0 {
		return fail()
	}
	sizes := readSizes(top, s, o.Dims, problems)
	if problems.Count() > 0 {
		return fail()
	}
	base := filepath.Base(name)
	m := models.Model{Name: strings.TrimSuffix(base, filepath.Ext(base))}
	l, notes := s.layer(sizes, problems)
	if problems.Count() > 0 {
		return fail()
	}
	l.Name = orElse(s.name, m.Name)
	m.Layers, m.Notes = []models.Layer{l}, append([]string{"Read from a Timeloop problem; its input is taken to need a gradient."}, notes...)
	if err := m.Validate(); err != nil {
		problems.Addf(0, "%w", err)
		return fail()
	}
	if macs := float64(l.M) * float64(l.N) * float64(l.K) * float64(l.Batches()); macs > maxMACs {
		problems.Addf(0, "it takes %.3g multiply-accumulates, want at most %.3g", macs, maxMACs)
		return fail()
	}
	return m, nil
}

// Is reports whether YAML looks like one of Timeloop's files rather than a
// model of ours.
func Is(data []byte) bool {
	root, err := yamltree.Parse(data, limits)
	if err != nil || root.Kind != yamltree.Map {
		return false
	}
	if slices.Contains(root.Keys(), "layers") {
		return false
	}
	return slices.ContainsFunc(root.Keys(), func(k string) bool { return k == "problem" || k == "shape" || k == "architecture" })
}

// find returns the mapping that has the shape or the dimensions.
func find(root *yamltree.Node, problems *yamltree.Problems) (*yamltree.Node, bool) {
	const want = "want a mapping with problem (shape and instance) or shape"
	switch {
	case root.Kind != yamltree.Map:
		problems.Addf(root.Line, "the file is %s, %s", root.Kind, want)
	case root.Get("problem") != nil:
		p := root.Get("problem")
		if p.Kind == yamltree.Map {
			return p, true
		}
		problems.Addf(p.Line, "problem is %s, want a mapping with shape and instance", p.Describe())
	case root.Get("shape") != nil:
		return root, true
	case root.Get("architecture") != nil:
		problems.Addf(root.Line, "the file is %w, which is an NPU rather than a model, %s", ErrArchitecture, want)
	default:
		problems.Addf(root.Line, "the file has %s, %s", strings.Join(root.Keys(), ", "), want)
	}
	return nil, false
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
