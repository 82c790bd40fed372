package onnx

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/npu-tune/npu-tune/models"
)

// layer is what a node's GEMM becomes.
type layer = models.Layer

// maxMACs bounds a forward pass, so that no sum over passes and layers
// overflows 64 bits.
const maxMACs = float64(1 << 60)

// finish makes the model: weights that several layers use count once.
func (im *importer) finish() (*Import, error) {
	m := models.Model{}
	seen := map[*origin]bool{}
	var total, held int64
	for _, g := range im.gemms {
		l := g.layer
		if g.weight != nil {
			if seen[g.weight] {
				l.Activations = true
			}
			seen[g.weight] = true
			total += trainable(g.weight)
			if !l.Activations && g.times > 1 {
				m.Layers = append(m.Layers, l)
				held += l.Parameters()
				l.Activations = true
				g.times--
			}
		}
		if g.times > 1 {
			l.Count = g.times
		}
		held += l.Parameters()
		m.Layers = append(m.Layers, l)
	}
	total += im.others
	if m.OtherParameters = total - held; m.OtherParameters < 0 {
		im.note("Constants that are expanded before they are multiplied count as they are multiplied.")
		m.OtherParameters = 0
	}
	rename(m.Layers)
	if len(m.Layers) == 0 {
		return nil, fmt.Errorf("the graph multiplies no matrices: %s", describe(im.counts()))
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if err := magnitude(m); err != nil {
		return nil, err
	}
	m.Notes = im.notes
	return &Import{Model: m, Report: im.report(m)}, nil
}

func (im *importer) report(m models.Model) Report {
	r := Report{
		Producer: im.proto.producer, IR: im.proto.ir, Opsets: im.proto.opsets,
		Layers: len(m.Layers), Without: im.counts(), LeftOut: im.leftOut, Notes: im.notes,
	}
	for _, name := range slices.Sorted(maps.Keys(im.used)) {
		r.Dims = append(r.Dims, DimUse{name, im.used[name]})
	}
	return r
}

func describe(counts []OpCount) string {
	if len(counts) == 0 {
		return "it has no nodes"
	}
	var names []string
	for _, c := range counts {
		names = append(names, c.Op)
	}
	return "it has only " + quoted(names)
}

// rename makes the names of layers distinct.
func rename(layers []models.Layer) {
	used := map[string]int{}
	for i := range layers {
		name := layers[i].Name
		for used[name] > 0 {
			used[layers[i].Name]++
			name = fmt.Sprintf("%s#%d", layers[i].Name, used[layers[i].Name])
		}
		used[name]++
		layers[i].Name = name
	}
}

// magnitude reports layers and models whose figures would overflow.
func magnitude(m models.Model) error {
	var sum float64
	for _, l := range m.Layers {
		macs := float64(l.M) * float64(l.N) * float64(l.K) * float64(l.Batches()) * float64(l.Occurrences())
		if sum += macs; sum > maxMACs || math.IsInf(sum, 0) {
			return fmt.Errorf("layer %q: more than %g multiply-accumulates up to here", l.Name, maxMACs)
		}
	}
	return nil
}

// trainable marks the stored constants that o is made of as parameters and
// returns how many elements were not marked before.
func trainable(o *origin) int64 {
	var sum int64
	for stack := []*origin{o}; len(stack) > 0; {
		o := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if o == nil || o.trainable {
			continue
		}
		o.trainable = true
		if len(o.parts) == 0 {
			sum += o.elements
		}
		stack = append(stack, o.parts...)
	}
	return sum
}
