package onnx

import (
	"fmt"
	"maps"
	"slices"
)

// setBatch finds what Options.Batch replaces: names, or one number.
func (im *importer) setBatch() {
	first, named := true, false
	for _, in := range im.proto.graph.inputs {
		if im.batch == 0 || len(in.dims) == 0 || im.weights[in.name] || im.stored[in.name] {
			continue
		}
		d := in.dims[0]
		if first {
			named, first = !fixed(d), false
			if !named {
				im.wasBatch = d.extent
			}
		}
		if fixed(d) && (named || d.extent != im.wasBatch) {
			im.note("Input %q keeps its leading dimension of %d, which is not the first input's.", in.name, d.extent)
		}
		if named && !fixed(d) {
			name := axisName(in, 0)
			if _, ok := im.given[name]; !ok {
				im.symbols.batch[name] = im.batch
			}
		}
	}
}

// rebatched reports whether a number was replaced by another one, so that
// shapes fixed in the file contradict the inputs.
func (im *importer) rebatched() bool { return im.wasBatch != 0 && im.wasBatch != im.batch }

// fixed reports whether the file states a usable extent.
func fixed(d dimension) bool { return d.stated && d.extent > 0 }

// axisName returns the name of a dimension that Options.Dims can set.
func axisName(in declared, axis int) string {
	if name := in.dims[axis].name; name != "" {
		return name
	}
	return fmt.Sprintf("%s[%d]", in.name, axis)
}

// storedNames returns the names of the graph's initializers.
func storedNames(g *graph) map[string]bool {
	stored := map[string]bool{}
	for _, t := range g.initializers {
		stored[t.name] = true
	}
	return stored
}

// inputs declares the graph's inputs.
func (im *importer) inputs(g *graph, sc *scope) error {
	for _, in := range g.inputs {
		if in.name == "" || im.stored[in.name] {
			continue
		}
		if _, twice := sc.values[in.name]; twice {
			return fmt.Errorf("two inputs are called %q", in.name)
		}
		sc.values[in.name] = im.input(in, im.weights[in.name])
	}
	if len(im.weights) > 0 {
		im.note("Inputs that only multiply count as weights: %s.", quoted(slices.Sorted(maps.Keys(im.weights))))
	}
	return nil
}

func (im *importer) input(in declared, weight bool) *value {
	v := &value{dtype: in.dtype, ranked: in.ranked && in.tensor, constant: weight}
	if !v.ranked {
		v.why = im.causes.node(fmt.Sprintf("input %q, which has no shape", in.name))
	}
	for axis, d := range in.dims {
		e := whole(d.extent)
		switch {
		case !fixed(d):
			e = im.axis(in, axis)
		case axis == 0 && !weight && im.wasBatch == d.extent:
			e = number{n: im.batch, f: 1}
		}
		v.shape = append(v.shape, e)
	}
	if weight {
		v.origin = &origin{elements: im.elements(v), dtype: v.dtype, stored: true}
		return v
	}
	single := v.known() && im.elements(v) == 1
	if single && in.dtype.integer() {
		v.data = []number{im.exact(in.name)}
	}
	return v
}

// elements returns how many elements a value has; 0 if that is not known.
func (im *importer) elements(v *value) int64 {
	if n := im.product(v.shape...); n.known() && v.ranked {
		return n.n
	}
	return 0
}

// axis returns an input's extent that the file leaves open.
func (im *importer) axis(in declared, axis int) number {
	if place := fmt.Sprintf("%s[%d]", in.name, axis); im.given != nil {
		if _, ok := im.given[place]; ok {
			return im.exact(place)
		}
	}
	if name := in.dims[axis].name; name != "" {
		return im.dim(name)
	}
	return im.exact(axisName(in, axis))
}

// initializer declares a constant that the file stores.
func (im *importer) initializer(t *tensor) *value {
	v := &value{dtype: t.dtype, ranked: true, shape: wholes(t.dims), data: t.data, constant: true}
	v.origin = &origin{elements: t.count(), dtype: t.dtype, stored: true}
	return v
}

// fedWeights returns the inputs that are weights though no constant is stored
// for them: those that serve only as second operand of products of two matrices,
// or as weights and biases of convolutions.
func fedWeights(g *graph, stored map[string]bool) map[string]bool {
	rank := map[string]int{}
	for _, in := range g.inputs {
		if mayBeWeight(in) && !stored[in.name] {
			rank[in.name] = len(in.dims)
		}
	}
	weights, data := map[string]bool{}, map[string]bool{}
	for _, n := range g.nodes {
		for i, name := range n.inputs {
			switch {
			case rank[name] == 0:
			case i > 0 && n.domain == "" && (n.op == "Gemm" || n.op == "Conv" || n.op == "ConvTranspose" || n.op == "MatMul" && rank[name] <= 2):
				weights[name] = true
			default:
				data[name] = true
			}
		}
	}
	for name := range data {
		delete(weights, name)
	}
	return weights
}

// mayBeWeight reports whether an input has the type and the fixed shape of
// weights.
func mayBeWeight(in declared) bool {
	for _, d := range in.dims {
		if !fixed(d) {
			return false
		}
	}
	return in.tensor && len(in.dims) > 0 && in.dtype.floating()
}
