package timeloop

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/npu-tune/npu-tune/internal/nearest"
	"github.com/npu-tune/npu-tune/internal/yamltree"
	"github.com/npu-tune/npu-tune/models"
)

// beside are keys that stand beside dimensions and are none. Densities say how
// sparse data is, which dense schedules do not depend on.
var beside = []string{"shape", "instance", "version", "densities", "commonDensity", "name", "notes", "data_densities", "data-densities"}

// readSizes returns the value of each dimension and coefficient: from dims,
// else the instance, else defaults of coefficients.
func readSizes(top *yamltree.Node, s *shape, dims map[string]int64, problems *yamltree.Problems) map[string]int64 {
	sizes := maps.Clone(s.coefficients)
	known := append(slices.Clone(s.dims), slices.Sorted(maps.Keys(s.coefficients))...)
	n := top.Get("instance")
	if n == nil {
		n = top // files of the first versions have them beside the shape
	}
	if n.Kind != yamltree.Map && n.Kind != yamltree.Null {
		problems.Addf(n.Line, "instance is %s, want a mapping such as {M: 64, N: 64, K: 64}", n.Describe())
		return nil
	}
	for _, e := range n.Entries {
		if slices.Contains(beside, e.Key) {
			continue
		}
		if !slices.Contains(known, e.Key) {
			problems.Addf(e.Line, "%s is no dimension of the shape, want %s%s", yamltree.Shown(e.Key), strings.Join(known, ", "), nearest.Hint(e.Key, known))
			continue
		}
		v, err := strconv.ParseInt(e.Value.Text, 10, 64)
		if e.Value.Kind != yamltree.Int || err != nil || v < 1 || v > models.MaxDim {
			problems.Addf(e.Line, "%s is %s, want a whole number from 1 to %d", e.Key, e.Value.Describe(), models.MaxDim)
			continue
		}
		sizes[e.Key] = v
	}
	for _, name := range slices.Sorted(maps.Keys(dims)) {
		switch v := dims[name]; {
		case !slices.Contains(known, name):
			problems.Addf(0, "there is no dimension %q, want %s%s", name, strings.Join(known, ", "), nearest.Hint(name, known))
		case v < 1 || v > models.MaxDim:
			problems.Addf(0, "dimension %s is %d, want 1 to %d", name, v, models.MaxDim)
		default:
			sizes[name] = v
		}
	}
	if problems.Count() == 0 {
		complete(s, sizes, n == top, problems)
	}
	return sizes
}

// complete reports dimensions without a value.
func complete(s *shape, sizes map[string]int64, none bool, problems *yamltree.Problems) {
	var missing []string
	for _, d := range s.dims {
		if _, ok := sizes[d]; !ok {
			missing = append(missing, d)
		}
	}
	switch {
	case len(missing) == 0:
	case none && len(missing) == len(s.dims):
		problems.Addf(s.line, "the file has a shape but no instance, want sizes of %s: an instance, or --dim %s=N and so on",
			strings.Join(missing, ", "), missing[0])
	default:
		problems.Addf(s.line, "%s has no size, want it in the instance, or --dim %s=N", strings.Join(missing, ", "), missing[0])
	}
}
