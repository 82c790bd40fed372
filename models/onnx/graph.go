package onnx

import (
	"fmt"
	"maps"
	"strings"
)

// graph infers the nodes of a graph whose inputs are in the scope.
func (im *importer) graph(g *graph, sc *scope) error {
	if err := im.execute(len(g.initializers)+len(g.inputs)+len(g.outputs)+len(g.infos), func() string { return "graph " + sc.path }); err != nil {
		return err
	}
	for _, t := range g.initializers {
		if t.name != "" {
			sc.values[t.name] = im.initializer(t)
		}
	}
	sc.infos = declarations(g)
	order, err := im.sorted(g, sc)
	if err != nil {
		return err
	}
	alive := live(g, order)
	for _, n := range order {
		if err := im.node(n, sc, alive[n]); err != nil {
			return err
		}
	}
	for _, out := range g.outputs {
		if _, ok := sc.find(out.name); !ok && out.name != "" {
			return fmt.Errorf("output %q is produced by no node", out.name)
		}
	}
	return nil
}

// execute counts nodes and tensors each time that they are inferred. A small
// file whose functions call each other would go on forever.
func (im *importer) execute(n int, where func() string) error {
	limit := maxExtra + 4*im.proto.size
	if im.executed += n; im.executed > limit {
		return fmt.Errorf("%s: bodies and functions come to more than %d nodes and tensors, each time that they run", where(), limit)
	}
	return nil
}

// declarations returns the types that a graph states of its values.
func declarations(g *graph) map[string]declared {
	infos := make(map[string]declared, len(g.infos)+len(g.outputs))
	for _, list := range [][]declared{g.infos, g.outputs} {
		for _, d := range list {
			if d.tensor && d.ranked {
				infos[d.name] = d
			}
		}
	}
	return infos
}

// node infers one node. The layers of a node that reaches no output are left
// out, for it does not run.
func (im *importer) node(n *node, sc *scope, alive bool) error {
	if err := im.execute(1+(len(n.inputs)+len(n.outputs)+len(n.attributes))/16, func() string { return n.describe(sc) }); err != nil {
		return err
	}
	c, err := im.call(n, sc)
	if err != nil {
		return err
	}
	own, err := im.apart(c.infer)
	if err != nil {
		return err
	}
	for i, v := range c.out {
		if name := n.outputs[i]; name != "" {
			sc.values[name] = im.settle(c, v, name)
		}
	}
	if !alive && len(own.gemms)+len(own.unsized) > 0 {
		im.leftOut = append(im.leftOut, LeftOut{n.label(sc), n.op, "no output of the graph depends on it"})
		return nil
	}
	im.merge(own, 1)
	return nil
}

// infer runs the node's operator, its function, or nothing if neither is known.
func (c *call) infer() error {
	domain := c.node.domain
	if domain == "ai.onnx" {
		domain = ""
	}
	if f, ok := c.im.functions[functionKey(domain, c.node.op, c.node.overload)]; ok {
		return c.function(f)
	}
	op, ok := c.im.operators[operatorKey(domain, c.node.op)]
	if !ok {
		return c.foreign(domain)
	}
	c.operator = op
	if op.infer == nil {
		c.stop()
	} else if err := op.infer(c); err != nil {
		return err
	}
	for _, v := range c.out {
		if v != nil {
			if err := c.check(v); err != nil {
				return err
			}
		}
	}
	if !op.holds {
		c.im.without[c.node.op]++
	}
	return nil
}

// multiplies reports whether an operator that is not known must be taken for
// one that multiplies matrices, by its name.
func multiplies(op string) bool {
	for _, word := range []string{"MatMul", "Gemm", "Attention", "LSTM", "GRU", "RNN", "Einsum", "MoE", "Linear", "Conv"} {
		if strings.Contains(op, word) && !strings.HasPrefix(op, "Convert") && !strings.HasSuffix(op, "QuantizeLinear") {
			return true
		}
	}
	return false
}

// foreign handles an operator that is not known: its outputs are what the file
// says of them.
func (c *call) foreign(domain string) error {
	if multiplies(c.node.op) {
		return c.blind()
	}
	c.stop()
	c.im.without[c.node.op]++
	why := "the operator is not known, and is taken for one without GEMM"
	if domain != "" {
		why = fmt.Sprintf("the operator of domain %q is not known, and is taken for one without GEMM", short(domain))
	}
	c.im.leftOut = append(c.im.leftOut, LeftOut{c.node.label(c.scope), c.node.op, why})
	return nil
}

// function infers the nodes of a function with the call's inputs.
func (c *call) function(f *function) error {
	if len(c.node.inputs) > len(f.inputs) {
		return c.bad("has %d inputs, but function %q takes %d", len(c.node.inputs), f.name, len(f.inputs))
	}
	sc := &scope{values: map[string]*value{}, attributes: map[string]attribute{}, path: c.scope.path + c.node.label(nil) + "/"}
	for i, name := range f.inputs {
		if i < len(c.in) && c.in[i] != nil {
			sc.values[name] = c.in[i]
		} else {
			sc.values[name] = nil // an optional input that is not given
		}
	}
	for _, a := range f.defaults {
		sc.attributes[a.name] = a
	}
	for _, a := range c.node.attributes {
		if a, ok := c.resolve(a); ok {
			sc.attributes[a.name] = a
		}
	}
	g := f.body
	g.outputs = nil
	for _, name := range f.outputs {
		g.outputs = append(g.outputs, declared{name: name})
	}
	results, err := c.body(&g, sc)
	copy(c.out, results)
	c.kept = true
	return err
}

// body infers a graph in a scope of its own and returns its outputs.
func (c *call) body(g *graph, sc *scope) ([]*value, error) {
	if c.im.calls++; c.im.calls > maxCalls {
		return nil, c.bad("functions and bodies nest deeper than %d; does a function call itself?", maxCalls)
	}
	defer func() { c.im.calls-- }()
	if err := c.im.graph(g, sc); err != nil {
		return nil, err
	}
	var results []*value
	for _, out := range g.outputs {
		v, _ := sc.find(out.name)
		if v == nil {
			v = &value{why: c.here()}
		}
		results = append(results, v)
	}
	return results, nil
}

// inner returns a scope for a body within this node, with its inputs.
func (c *call) inner(label string, inputs map[string]*value) *scope {
	sc := &scope{
		values: map[string]*value{}, outer: c.scope, attributes: c.scope.attributes,
		path: c.scope.path + c.node.label(nil) + "/" + label,
	}
	maps.Copy(sc.values, inputs)
	return sc
}
