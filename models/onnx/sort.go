package onnx

import "fmt"

// sorted returns a graph's nodes so that each follows those whose outputs it
// reads: the file's own order wherever that is one. It reports cycles, values
// with two producers and reads of what is nowhere produced.
func (im *importer) sorted(g *graph, sc *scope) ([]*node, error) {
	producer := map[string]int{}
	for i, n := range g.nodes {
		for _, out := range n.outputs {
			if out == "" {
				continue
			}
			if j, twice := producer[out]; twice {
				return nil, fmt.Errorf("%s and %s both produce %q", g.nodes[j].describe(sc), n.describe(sc), out)
			}
			producer[out] = i
		}
	}
	s := sorter{g: g, sc: sc, producer: producer, state: make([]byte, len(g.nodes))}
	for i := range g.nodes {
		if err := s.visit(i); err != nil {
			return nil, err
		}
	}
	return s.order, nil
}

// sorter walks the graph backwards, depth first.
type sorter struct {
	g        *graph
	sc       *scope
	producer map[string]int
	state    []byte // 0 new, 1 on the stack, 2 done
	order    []*node
}

// frame is a node whose producers are being visited.
type frame struct {
	node  int
	reads []string
}

func (s *sorter) visit(root int) error {
	if s.state[root] == 2 {
		return nil
	}
	stack := []frame{{root, s.g.nodes[root].reads()}}
	s.state[root] = 1
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.reads) == 0 {
			s.state[top.node] = 2
			s.order = append(s.order, s.g.nodes[top.node])
			stack = stack[:len(stack)-1]
			continue
		}
		name := top.reads[0]
		top.reads = top.reads[1:]
		i, ok := s.producer[name]
		switch {
		case name == "":
		case !ok:
			if _, outer := s.sc.find(name); !outer {
				return fmt.Errorf("%s reads %q, which nothing produces", s.g.nodes[top.node].describe(s.sc), name)
			}
		case s.state[i] == 1:
			return fmt.Errorf("the graph has a cycle: %s reads %q, which depends on it", s.g.nodes[top.node].describe(s.sc), name)
		case s.state[i] == 0:
			s.state[i] = 1
			stack = append(stack, frame{i, s.g.nodes[i].reads()})
		}
	}
	return nil
}

// reads returns the names of the values that a node needs: its inputs, and
// what its bodies read from around.
func (n *node) reads() []string {
	reads := n.inputs
	for _, a := range n.attributes {
		if a.graph != nil {
			reads = append(reads[:len(reads):len(reads)], a.graph.free()...)
		}
	}
	return reads
}

// free returns the names that a graph reads from around.
func (g *graph) free() []string {
	own := map[string]bool{"": true}
	for _, in := range g.inputs {
		own[in.name] = true
	}
	for _, t := range g.initializers {
		own[t.name] = true
	}
	for _, n := range g.nodes {
		for _, out := range n.outputs {
			own[out] = true
		}
	}
	var free []string
	add := func(name string) {
		if !own[name] {
			own[name] = true
			free = append(free, name)
		}
	}
	for _, n := range g.nodes {
		for _, name := range n.reads() {
			add(name)
		}
	}
	for _, out := range g.outputs {
		add(out.name)
	}
	return free
}

// live returns the nodes that the graph's outputs depend on; all if the graph
// names no outputs.
func live(g *graph, order []*node) map[*node]bool {
	needed := map[string]bool{}
	for _, out := range g.outputs {
		needed[out.name] = true
	}
	alive := map[*node]bool{}
	for i := len(order) - 1; i >= 0; i-- {
		n := order[i]
		wanted := len(g.outputs) == 0
		for _, out := range n.outputs {
			wanted = wanted || needed[out] && out != ""
		}
		if !wanted {
			continue
		}
		alive[n] = true
		for _, name := range n.reads() {
			needed[name] = true
		}
	}
	return alive
}

// describe names a node in messages.
func (n *node) describe(sc *scope) string {
	return fmt.Sprintf("node %q (%s)", n.label(sc), short(n.op))
}

// label returns the node's name, or that of its first output.
func (n *node) label(sc *scope) string {
	name := n.name
	for i := 0; name == "" && i < len(n.outputs); i++ {
		name = n.outputs[i]
	}
	if name == "" {
		name = "unnamed " + n.op
	}
	name = short(name)
	if sc == nil {
		return name
	}
	return sc.path + name
}
