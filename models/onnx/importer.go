package onnx

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const (
	maxExtra = 1 << 17 // nodes and tensors of bodies and functions, each time, beyond those of the file
	maxCalls = 64      // functions and bodies within each other
	// maxElements bounds the constants that shape arithmetic keeps; beyond it
	// nothing more is computed.
	maxElements = 1 << 22
)

// importer infers the shapes of a graph and collects its layers.
type importer struct {
	*symbols
	proto     *modelProto
	operators map[string]operator
	functions map[string]*function
	stored    map[string]bool // names of the graph's initializers
	weights   map[string]bool // inputs that are weights
	batch     int64           // that replaces
	wasBatch  int64           // a number, this one; 0 if it replaced none
	*tally
	others   int64 // trainable elements that belong to no GEMM
	notes    []string
	executed int   // nodes and tensors
	folded   int64 // elements of constants so far
	calls    int
	reshapes map[reshapeKey]reshaped // recorded, if not nil
	before   map[reshapeKey]reshaped // as recorded with the file's own batch
}

// tally is what nodes add up to; that of a body is kept apart until it is
// known how often, and whether, it runs.
type tally struct {
	gemms   []gemm
	unsized []unsized
	leftOut []LeftOut
	without map[string]int64
}

// gemm is a layer whose weights are not yet known to be shared.
type gemm struct {
	layer
	weight *origin // nil where both operands are activations
	times  int64   // per step of training
}

// unsized is a node with a GEMM whose shape is not known.
type unsized struct {
	node string
	why  cause
}

// explain says what the node's shape depends on.
func (im *importer) explain(u unsized) string {
	b := im.blame(u.why)
	switch {
	case len(b.dims) > 0:
		return u.node + " depends on dim " + quoted(b.dims)
	case len(b.nodes) > 0 && b.nodes[0] != u.node:
		return u.node + " is fed by " + b.nodes[0] + ", whose output has no known shape"
	}
	return u.node
}

func newImporter(proto *modelProto, o Options) (*importer, error) {
	s, err := newSymbols(o)
	if err != nil {
		return nil, err
	}
	im := &importer{
		symbols: s, proto: proto, batch: o.Batch,
		operators: operators(), functions: map[string]*function{},
		tally: &tally{without: map[string]int64{}},
	}
	for _, f := range proto.functions {
		im.functions[functionKey(f.domain, f.name, f.overload)] = f
	}
	im.stored = storedNames(proto.graph)
	im.weights = fedWeights(proto.graph, im.stored)
	im.setBatch()
	return im, nil
}

func functionKey(domain, name, overload string) string {
	if domain == "ai.onnx" {
		domain = ""
	}
	return domain + "\x00" + name + "\x00" + overload
}

// run infers the whole graph.
func (im *importer) run() error {
	g := im.proto.graph
	sc := &scope{values: map[string]*value{}}
	if err := im.inputs(g, sc); err != nil {
		return err
	}
	if err := im.graph(g, sc); err != nil {
		return err
	}
	if err := im.unused(); err != nil {
		return err
	}
	return im.sized()
}

// sized lists the nodes whose GEMM has no known shape, and what would help.
func (im *importer) sized() error {
	if len(im.unsized) == 0 {
		return nil
	}
	const most = 8
	var b strings.Builder
	var all blame
	seen := map[cause]bool{}
	for i, u := range im.unsized {
		if i < most {
			fmt.Fprintf(&b, "\n  %s", im.explain(u))
		}
		if !seen[u.why] {
			seen[u.why] = true
			all.dims = append(all.dims, im.blame(u.why).dims...)
			all.nodes = append(all.nodes, im.blame(u.why).nodes...)
		}
	}
	if n := len(im.unsized); n > most {
		fmt.Fprintf(&b, "\n  and %d more", n-most)
	}
	for _, list := range []*[]string{&all.dims, &all.nodes} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	switch {
	case len(all.dims) > 0:
		fmt.Fprintf(&b, "\nset dim %s", quoted(all.dims))
	case len(all.nodes) > 0:
		fmt.Fprintf(&b, "\ninference stops at %s", strings.Join(all.nodes[:min(len(all.nodes), most)], ", "))
	}
	return &ShapesError{all.dims, fmt.Sprintf("the shapes of %d nodes that multiply matrices are not known:%s", len(im.unsized), b.String())}
}

// apart runs f and returns what it adds, instead of adding it.
func (im *importer) apart(f func() error) (*tally, error) {
	kept := im.tally
	own := &tally{without: map[string]int64{}}
	im.tally = own
	err := f()
	im.tally = kept
	return own, err
}

// merge adds what a body found, the body running so many times.
func (im *importer) merge(t *tally, times int64) {
	for _, g := range t.gemms {
		g.times = saturate(g.times, times)
		im.gemms = append(im.gemms, g)
	}
	im.unsized = append(im.unsized, t.unsized...)
	im.leftOut = append(im.leftOut, t.leftOut...)
	for op, n := range t.without {
		im.without[op] += n
	}
}

// counts returns the nodes without GEMM by type, most frequent first.
func (t *tally) counts() []OpCount {
	var list []OpCount
	for op, n := range t.without {
		list = append(list, OpCount{op, n})
	}
	slices.SortFunc(list, func(a, b OpCount) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), cmp.Compare(a.Op, b.Op))
	})
	return list
}

// note adds an assumption, once.
func (im *importer) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(im.notes, text) {
		im.notes = append(im.notes, text)
	}
}
