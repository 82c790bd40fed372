package onnx

// operator says how a node of a type is inferred.
type operator struct {
	infer func(c *call) error // nil: nothing is known of the outputs
	holds bool                // it holds a GEMM, or bodies that may
	moves bool                // it only moves or converts elements of its first input
}

// contributed is the domain of the operators that ONNX Runtime adds.
const contributed = "com.microsoft"

func operatorKey(domain, op string) string {
	if domain == "" {
		return op
	}
	return domain + ":" + op
}

// operators returns all operators that are known, by domain and name.
func operators() map[string]operator {
	table := map[string]operator{}
	add := func(o operator, names ...string) {
		for _, name := range names {
			table[name] = o
		}
	}
	elementwiseOperators(add)
	normalizationOperators(add)
	windowOperators(add)
	matrixOperators(add)
	shapeOperators(add)
	pieceOperators(add)
	reductionOperators(add)
	constantOperators(add)
	controlOperators(add)
	return table
}

// adder registers an operator under its names.
type adder func(o operator, names ...string)
