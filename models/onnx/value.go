package onnx

// value is what is known of a tensor before the graph runs.
type value struct {
	shape  []number
	ranked bool // shape is known, though its dimensions may not be
	why    cause
	dtype  dtype
	data   []number // elements in row-major order, nil if not known
	// constant says that no input of the graph reaches the elements.
	constant bool
	// origin is the constant that the value is, or is made of; nil if none.
	origin *origin
	// trained says that something trainable lies upstream, so the value's
	// gradient is needed.
	trained bool
}

// known reports whether the rank and every dimension are.
func (v *value) known() bool {
	if !v.ranked {
		return false
	}
	for _, e := range v.shape {
		if !e.known() {
			return false
		}
	}
	return true
}

// origin is a constant of the file, or one computed from others.
type origin struct {
	elements  int64
	dtype     dtype
	stored    bool // by the file as an initializer or as an input
	parts     []*origin
	trainable bool // counted among the parameters
}

// large reports whether the origin holds more than a scalar that the file
// stores as floating-point weights.
func (o *origin) large() bool {
	for o != nil && len(o.parts) == 1 {
		o = o.parts[0]
	}
	if o == nil {
		return false
	}
	if len(o.parts) > 0 {
		return o.elements > 1
	}
	return o.stored && o.elements > 1 && o.dtype.floating()
}

// scope holds the values that nodes can read.
type scope struct {
	values     map[string]*value
	outer      *scope               // of the graph around; nil for a function's
	attributes map[string]attribute // of the call of the function
	path       string               // before the names of nodes
	infos      map[string]declared
}

func (s *scope) find(name string) (*value, bool) {
	for ; s != nil; s = s.outer {
		if v, ok := s.values[name]; ok {
			return v, true
		}
	}
	return nil, false
}
