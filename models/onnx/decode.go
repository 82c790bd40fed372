package onnx

import "google.golang.org/protobuf/encoding/protowire"

const (
	maxNodes   = 1 << 19 // of a file
	maxTensors = 1 << 20
	maxNesting = 32 // graphs within graphs
)

// decoder turns the wire format into the structures of proto.go.
type decoder struct {
	*wire
	nodes, tensors int
}

// model decodes the whole file.
func (d *decoder) model() (*modelProto, error) {
	m := &modelProto{}
	if d.size == 0 {
		return nil, wireErrorf(0, "the file is empty")
	}
	err := d.each("the model", 0, d.size, func(f field) (err error) {
		switch f.number {
		case 1:
			m.ir, err = f.integer()
		case 2:
			m.producer, err = d.text(f)
		case 7:
			if m.graph == nil {
				m.graph = &graph{}
			}
			err = d.graph(m.graph, f, 0)
		case 8:
			err = d.opset(m, f)
		case 25:
			err = d.function(m, f)
		}
		return err
	})
	if err == nil && m.graph == nil {
		err = wireErrorf(d.size, "the file ends without a graph; is this an ONNX file?")
	}
	m.size = d.nodes + d.tensors
	return m, err
}

// message calls each on the bytes of a field.
func (d *decoder) message(name string, f field, each func(field) error) error {
	if err := f.want(protowire.BytesType, name); err != nil {
		return err
	}
	return d.each(name, f.start, f.end, each)
}

func (d *decoder) opset(m *modelProto, f field) error {
	var o Opset
	err := d.message("an opset", f, func(f field) (err error) {
		switch f.number {
		case 1:
			o.Domain, err = d.text(f)
		case 2:
			o.Version, err = f.integer()
		}
		return err
	})
	m.opsets = append(m.opsets, o)
	return err
}

func (d *decoder) graph(g *graph, f field, depth int) error {
	if depth > maxNesting {
		return wireErrorf(f.offset, "graphs nest deeper than %d", maxNesting)
	}
	return d.message("a graph", f, func(f field) (err error) {
		switch f.number {
		case 1:
			err = d.node(g, f, depth)
		case 2:
			g.name, err = d.text(f)
		case 5:
			var t *tensor
			if t, err = d.tensor(f); err == nil {
				g.initializers = append(g.initializers, t)
			}
		case 11:
			g.inputs, err = d.declared(g.inputs, f)
		case 12:
			g.outputs, err = d.declared(g.outputs, f)
		case 13:
			g.infos, err = d.declared(g.infos, f)
		case 15:
			var t *tensor
			if t, err = d.sparse(f); err == nil {
				g.initializers = append(g.initializers, t)
			}
		}
		return err
	})
}

func (d *decoder) node(g *graph, f field, depth int) error {
	if d.nodes++; d.nodes > maxNodes {
		return wireErrorf(f.offset, "more than %d nodes", maxNodes)
	}
	if err := d.keep(f.offset, 200); err != nil {
		return err
	}
	n := &node{}
	g.nodes = append(g.nodes, n)
	return d.message("a node", f, func(f field) (err error) {
		switch f.number {
		case 1:
			n.inputs, err = d.texts(n.inputs, f)
		case 2:
			n.outputs, err = d.texts(n.outputs, f)
		case 3:
			n.name, err = d.text(f)
		case 4:
			n.op, err = d.text(f)
		case 5:
			var a attribute
			if a, err = d.attribute(f, depth); err == nil {
				n.attributes = append(n.attributes, a)
			}
		case 7:
			n.domain, err = d.text(f)
		case 8:
			n.overload, err = d.text(f)
		}
		return err
	})
}

func (d *decoder) texts(dst []string, f field) ([]string, error) {
	s, err := d.text(f)
	return append(dst, s), err
}

func (d *decoder) attribute(f field, depth int) (a attribute, err error) {
	if err := d.keep(f.offset, 200); err != nil {
		return a, err
	}
	err = d.message("an attribute", f, func(f field) (err error) {
		switch f.number {
		case 1:
			a.name, err = d.text(f)
		case 2:
			a.float, err = f.float()
		case 3:
			a.integer, err = f.integer()
		case 4:
			if f.end-f.start <= maxText {
				a.text, err = d.text(f)
			}
		case 5:
			a.tensor, err = d.tensor(f)
		case 6:
			if a.graph == nil {
				a.graph = &graph{}
			}
			err = d.graph(a.graph, f, depth+1)
		case 7:
			err = d.repeated(f, protowire.Fixed32Type, func(v uint64) error {
				if len(a.floats) < maxFloats+1 {
					x, _ := field{value: v, kind: protowire.Fixed32Type}.float()
					a.floats = append(a.floats, x)
				}
				return nil
			})
		case 8:
			a.integers, err = d.integers(a.integers, f)
		case 20:
			a.kind, err = f.integer()
		case 21:
			a.from, err = d.text(f)
		case 22:
			a.tensor, err = d.sparse(f)
		}
		return err
	})
	return a, err
}

func (d *decoder) function(m *modelProto, f field) error {
	fn := &function{}
	m.functions = append(m.functions, fn)
	return d.message("a function", f, func(f field) (err error) {
		switch f.number {
		case 1:
			fn.name, err = d.text(f)
		case 4:
			fn.inputs, err = d.texts(fn.inputs, f)
		case 5:
			fn.outputs, err = d.texts(fn.outputs, f)
		case 7:
			err = d.node(&fn.body, f, 0)
		case 10:
			fn.domain, err = d.text(f)
		case 11:
			var a attribute
			if a, err = d.attribute(f, 0); err == nil {
				fn.defaults = append(fn.defaults, a)
			}
		case 12:
			fn.body.infos, err = d.declared(fn.body.infos, f)
		case 13:
			fn.overload, err = d.text(f)
		}
		return err
	})
}
