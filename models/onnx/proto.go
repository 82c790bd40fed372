package onnx

// modelProto is what is kept of a file.
type modelProto struct {
	producer  string
	ir        int64
	opsets    []Opset
	graph     *graph
	functions []*function
	size      int // nodes and tensors
}

// graph is a list of nodes with the tensors that it declares.
type graph struct {
	name         string
	nodes        []*node
	initializers []*tensor
	inputs       []declared
	outputs      []declared
	infos        []declared // of values inside
}

// function is an operator that the file defines by nodes.
type function struct {
	domain, name, overload string
	inputs, outputs        []string
	defaults               []attribute
	body                   graph
}

// node is one operation.
type node struct {
	name, op, domain, overload string
	inputs, outputs            []string
	attributes                 []attribute
}

// attribute is a named constant of a node. Where from is not empty, it stands
// for the attribute of that name of the function that the node is part of.
type attribute struct {
	name, from string
	kind       int64
	integer    int64
	float      float64
	text       string
	integers   []int64
	floats     []float64
	tensor     *tensor
	graph      *graph
}

// tensor is a constant: its shape, and its elements if they are few enough to
// be of use in shape arithmetic.
type tensor struct {
	name  string
	dims  []int64
	dtype dtype
	data  []number // nil: not decoded
}

// declared is a value whose type the file states.
type declared struct {
	name   string
	dtype  dtype
	dims   []dimension
	ranked bool // the shape is stated, though dims may be symbolic
	tensor bool // not a sequence, a map or an optional value
}

// dimension is an extent or the name of one; neither if it is not stated.
type dimension struct {
	extent int64
	stated bool // extent is
	name   string
}

// dtype is the type of a tensor's elements, numbered as in ONNX.
type dtype int32

// The types of elements that matter here; 0 is unknown.
const (
	float32Type  dtype = 1
	uint8Type    dtype = 2
	int8Type     dtype = 3
	uint16Type   dtype = 4
	int16Type    dtype = 5
	int32Type    dtype = 6
	int64Type    dtype = 7
	stringType   dtype = 8
	boolType     dtype = 9
	float64Type  dtype = 11
	uint32Type   dtype = 12
	uint64Type   dtype = 13
	complexType  dtype = 14
	complex2Type dtype = 15
	uint4Type    dtype = 21
	int4Type     dtype = 22
	uint2Type    dtype = 25
	int2Type     dtype = 26
)

// floating reports whether gradients flow through elements of the type; an
// unknown type may.
func (t dtype) floating() bool { return !t.integer() && t != stringType && t != boolType }

// integer reports whether elements are whole numbers.
func (t dtype) integer() bool {
	switch t {
	case uint8Type, int8Type, uint16Type, int16Type, int32Type, int64Type, uint32Type, uint64Type,
		uint4Type, int4Type, uint2Type, int2Type:
		return true
	}
	return false
}

// bytes returns the size of an element in raw data, or 0 where elements of the
// type are never decoded.
func (t dtype) bytes() int64 {
	switch t {
	case uint8Type, int8Type, boolType:
		return 1
	case uint16Type, int16Type:
		return 2
	case int32Type, uint32Type, float32Type:
		return 4
	case int64Type, uint64Type, float64Type:
		return 8
	}
	return 0
}
