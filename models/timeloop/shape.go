package timeloop

import (
	"slices"
	"strings"

	"github.com/npu-tune/npu-tune/internal/nearest"
	"github.com/npu-tune/npu-tune/internal/yamltree"
)

// shape is what a problem computes: an output from two inputs.
type shape struct {
	name         string
	line         int
	dims         []string
	coefficients map[string]int64 // by name, with defaults
	x, w, y      space
}

// space is a data space: a sum of terms for each of its axes.
type space struct {
	name   string
	line   int
	axes   [][]term
	output bool
}

// term is a dimension, times a coefficient if it has one.
type term struct{ dim, coefficient string }

// has reports whether the space depends on a dimension.
func (s *space) has(dim string) bool {
	return slices.ContainsFunc(s.axes, func(axis []term) bool {
		return slices.ContainsFunc(axis, func(t term) bool { return t.dim == dim })
	})
}

// either returns the value of whichever spelling of a key there is.
func either(n *yamltree.Node, keys ...string) *yamltree.Node {
	for _, k := range keys {
		if v := n.Get(k); v != nil && v.Kind != yamltree.Null {
			return v
		}
	}
	return nil
}

// readShape reads the shape of a problem: written out, or by the name of one of
// Timeloop's own.
func readShape(top *yamltree.Node, problems *yamltree.Problems) *shape {
	n := top.Get("shape")
	switch {
	case n == nil:
		return builtin("cnn-layer")
	case n.Kind == yamltree.Text:
		if s := builtin(n.Text); s != nil {
			return s
		}
		problems.Addf(n.Line, "shape is %.100q, want it written out, or %s%s", n.Text, strings.Join(builtins(), " or "), nearest.Hint(n.Text, builtins()))
		return nil
	case n.Kind != yamltree.Map:
		problems.Addf(n.Line, "shape is %s, want a mapping with dimensions and data_spaces", n.Describe())
		return nil
	}
	s := &shape{line: n.Line, coefficients: map[string]int64{}}
	if name := n.Get("name"); name != nil && len(name.Text) <= 200 {
		s.name = name.Text
	}
	s.readDims(n, problems)
	s.readCoefficients(n, problems)
	if problems.Count() == 0 {
		s.readSpaces(n, problems)
	}
	return s
}

func (s *shape) readDims(n *yamltree.Node, problems *yamltree.Problems) {
	list := n.Get("dimensions")
	if list == nil || list.Kind != yamltree.List || len(list.Items) == 0 {
		problems.Addf(n.Line, "shape.dimensions is missing or no list, want names such as [M, N, K]")
		return
	}
	for _, d := range list.Items {
		if d.Text == "" || slices.Contains(s.dims, d.Text) {
			problems.Addf(d.Line, "shape.dimensions has %s, want distinct names", d.Describe())
			continue
		}
		s.dims = append(s.dims, d.Text)
	}
	if len(s.dims) > 64 {
		problems.Addf(list.Line, "shape has %d dimensions, want at most 64", len(s.dims))
	}
}

func (s *shape) readCoefficients(n *yamltree.Node, problems *yamltree.Problems) {
	list := n.Get("coefficients")
	if list == nil {
		return
	}
	for _, c := range list.Items {
		f := problems.Fields(c, "shape.coefficients")
		name := f.Text("name")
		s.coefficients[name] = f.Int("default", 1, maxCoefficient, 1)
		if name == "" || slices.Contains(s.dims, name) {
			problems.Addf(c.Line, "a coefficient is called %q, want a name that no dimension has", name)
		}
	}
}

const maxCoefficient = int64(1) << 31

// readSpaces reads the data spaces: two inputs and one output.
func (s *shape) readSpaces(n *yamltree.Node, problems *yamltree.Problems) {
	list := either(n, "data_spaces", "data-spaces")
	if list == nil || list.Kind != yamltree.List {
		problems.Addf(n.Line, "shape.data_spaces is missing or no list, want two inputs and one output")
		return
	}
	var inputs, outputs []space
	for _, item := range list.Items {
		sp := s.readSpace(item, problems)
		if sp.output {
			outputs = append(outputs, sp)
		} else {
			inputs = append(inputs, sp)
		}
	}
	if problems.Count() > 0 {
		return
	}
	if len(inputs) != 2 || len(outputs) != 1 {
		problems.Addf(list.Line, "shape has %d inputs and %d outputs (read_write: true), want 2 and 1: a matrix product or a convolution", len(inputs), len(outputs))
		return
	}
	s.y = outputs[0]
	s.x, s.w = inputs[0], inputs[1]
	if isWeights(&s.x, &s.w) {
		s.x, s.w = s.w, s.x
	}
}

// isWeights reports whether the first of two inputs is the one that is trained:
// the window slides over the other, or its name says so.
func isWeights(a, b *space) bool {
	if sa, sb := slides(a), slides(b); sa != sb {
		return sb
	}
	return called(a, "w", "filter", "kernel") && !called(b, "w", "filter", "kernel")
}

func called(s *space, beginnings ...string) bool {
	return slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(strings.ToLower(s.name), b) })
}

func slides(s *space) bool {
	return slices.ContainsFunc(s.axes, func(axis []term) bool { return len(axis) > 1 })
}

func (s *shape) readSpace(n *yamltree.Node, problems *yamltree.Problems) space {
	sp := space{line: n.Line}
	if n.Kind != yamltree.Map {
		problems.Addf(n.Line, "a data space is %s, want a mapping with name and projection", n.Describe())
		return sp
	}
	if name := n.Get("name"); name != nil {
		sp.name = name.Text
	}
	rw := either(n, "read_write", "read-write")
	sp.output = rw != nil && strings.EqualFold(rw.Text, "true")
	projection := n.Get("projection")
	if projection == nil || projection.Kind != yamltree.List {
		problems.Addf(n.Line, "data space %q has no projection, want a list such as [[[M]], [[K]]]", sp.name)
		return sp
	}
	for _, axis := range projection.Items {
		sp.axes = append(sp.axes, s.readAxis(axis, sp.name, problems))
	}
	return sp
}

// readAxis reads a sum of terms: [[R, Wdilation], [P, Wstride]], [[M]] or M.
func (s *shape) readAxis(axis *yamltree.Node, in string, problems *yamltree.Problems) []term {
	items := axis.Items
	if axis.Kind == yamltree.Text {
		items = []*yamltree.Node{axis}
	}
	var sum []term
	for _, item := range items {
		var t term
		switch {
		case item.Kind == yamltree.Text:
			t.dim = item.Text
		case item.Kind == yamltree.List && len(item.Items) >= 1 && len(item.Items) <= 2:
			t.dim = item.Items[0].Text
			if len(item.Items) == 2 {
				t.coefficient = item.Items[1].Text
			}
		default:
			problems.Addf(item.Line, "projection of %q has %s, want [dimension] or [dimension, coefficient]", in, item.Describe())
			continue
		}
		if !slices.Contains(s.dims, t.dim) {
			problems.Addf(item.Line, "projection of %q has dimension %q, want one of %s%s", in, t.dim, strings.Join(s.dims, ", "), nearest.Hint(t.dim, s.dims))
		}
		if _, known := s.coefficients[t.coefficient]; !known && t.coefficient != "" {
			problems.Addf(item.Line, "projection of %q has coefficient %q, want one of shape.coefficients", in, t.coefficient)
		}
		sum = append(sum, t)
	}
	if len(sum) == 0 {
		problems.Addf(axis.Line, "projection of %q has an axis without dimensions, want [[dimension]]", in)
	}
	return sum
}
