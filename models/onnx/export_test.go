package onnx

import (
	"maps"
	"slices"
)

// OperatorNames returns the known operators, sorted, those of other domains
// after "domain:".
func OperatorNames() []string { return slices.Sorted(maps.Keys(operators())) }
