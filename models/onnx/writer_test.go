package onnx_test

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Types of elements, as ONNX numbers them.
const (
	float32Type = 1
	int64Type   = 7
	boolType    = 9
)

// message is a protobuf message being written.
type message []byte

func (m *message) number(field protowire.Number, v int64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), uint64(v))
}

func (m *message) bytes(field protowire.Number, b []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), b)
}

func (m *message) text(field protowire.Number, s string) { m.bytes(field, []byte(s)) }

// graph writes a GraphProto; methods return the names of the values they make.
type graph struct{ message }

// file returns the graph as a whole model, with functions if there are any.
func (g *graph) file(functions ...message) []byte {
	var m, opset message
	m.number(1, 9)
	m.text(2, "test")
	opset.number(2, 18)
	m.bytes(8, opset)
	m.bytes(7, g.message)
	for _, f := range functions {
		m.bytes(25, f)
	}
	return m
}

// value writes a ValueInfoProto; a dimension is an int or the name of one.
func value(name string, dtype int64, dims []any) message {
	var v, typ, tensor, shape message
	for _, d := range dims {
		var dim message
		switch d := d.(type) {
		case int:
			dim.number(1, int64(d))
		case string:
			if d != "" {
				dim.text(2, d)
			}
		}
		shape.bytes(1, dim)
	}
	tensor.number(1, dtype)
	tensor.bytes(2, shape)
	typ.bytes(1, tensor)
	v.text(1, name)
	v.bytes(2, typ)
	return v
}

func (g *graph) input(name string, dims ...any) string {
	g.bytes(11, value(name, float32Type, dims))
	return name
}

func (g *graph) integers(name string, dims ...any) string {
	g.bytes(11, value(name, int64Type, dims))
	return name
}

func (g *graph) info(name string, dims ...any) { g.bytes(13, value(name, float32Type, dims)) }

func (g *graph) output(names ...string) {
	for _, name := range names {
		var v message
		v.text(1, name)
		g.bytes(12, v)
	}
}

// weights stores a tensor of floats whose elements lie in another file.
func (g *graph) weights(name string, dims ...int64) string {
	var t message
	for _, d := range dims {
		t.number(1, d)
	}
	t.number(2, float32Type)
	t.text(8, name)
	t.number(14, 1)
	g.bytes(5, t)
	return name
}

func integerTensor(name string, dims, list []int64) message {
	var t message
	for _, d := range dims {
		t.number(1, d)
	}
	t.number(2, int64Type)
	t.text(8, name)
	var raw []byte
	for _, v := range list {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	t.bytes(9, raw)
	return t
}

// list stores a vector of integers.
func (g *graph) list(name string, list ...int64) string {
	g.bytes(5, integerTensor(name, []int64{int64(len(list))}, list))
	return name
}

// scalar stores an integer.
func (g *graph) scalar(name string, v int64) string {
	g.bytes(5, integerTensor(name, nil, []int64{v}))
	return name
}

// attribute is a named constant: int, []int64, float64, string, *graph, message
// (a tensor), or ref.
type attribute struct {
	name  string
	value any
}

// ref stands for an attribute of the function around.
type ref string

func (a attribute) encode() message {
	var m message
	m.text(1, a.name)
	switch v := a.value.(type) {
	case int:
		m.number(3, int64(v))
		m.number(20, 2)
	case float64:
		m = protowire.AppendFixed32(protowire.AppendTag(m, 2, protowire.Fixed32Type), math.Float32bits(float32(v)))
		m.number(20, 1)
	case string:
		m.text(4, v)
		m.number(20, 3)
	case []int64:
		for _, n := range v {
			m.number(8, n)
		}
		m.number(20, 7)
	case *graph:
		m.bytes(6, v.message)
		m.number(20, 5)
	case message:
		m.bytes(5, v)
		m.number(20, 4)
	case ref:
		m.text(21, string(v))
	}
	return m
}

// node writes a NodeProto named after its first output.
func node(op string, in, out []string, attributes ...attribute) message {
	var n message
	for _, name := range in {
		n.text(1, name)
	}
	for _, name := range out {
		n.text(2, name)
	}
	n.text(3, out[0])
	n.text(4, op)
	for _, a := range attributes {
		n.bytes(5, a.encode())
	}
	return n
}

// do adds a node with one output, and returns its name.
func (g *graph) do(out, op string, in []string, attributes ...attribute) string {
	g.bytes(1, node(op, in, []string{out}, attributes...))
	return out
}

// custom adds a node of another domain.
func (g *graph) custom(domain, out, op string, in []string, attributes ...attribute) string {
	n := node(op, in, []string{out}, attributes...)
	n.text(7, domain)
	g.bytes(1, n)
	return out
}
