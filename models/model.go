package models

import (
	"errors"
	"fmt"
)

// Model is a network as its GEMM layers, in forward order.
type Model struct {
	Name   string  `json:"name" yaml:"name"`
	Layers []Layer `json:"layers" yaml:"layers"`
	// Notes says in plain words what the layer list assumes or leaves out.
	Notes []string `json:"notes,omitempty" yaml:"notes,omitempty"`
	// OtherParameters counts parameters that belong to no GEMM (biases,
	// normalization, embeddings), so that totals match published counts.
	OtherParameters int64 `json:"other_parameters,omitempty" yaml:"other_parameters,omitempty"`
}

// MACs returns the multiply-accumulates of one forward pass.
func (m Model) MACs() int64 {
	var sum int64
	for _, l := range m.Layers {
		sum += l.MACs() * l.Occurrences()
	}
	return sum
}

// Parameters returns the parameters of the GEMMs plus OtherParameters. A
// layer whose weights are shared must set Activations on the copies.
func (m Model) Parameters() int64 {
	sum := m.OtherParameters
	for _, l := range m.Layers {
		sum += l.Parameters() * l.Occurrences()
	}
	return sum
}

// Validate reports every violation of every layer, with the layer's position.
func (m Model) Validate() error {
	var errs []error
	if len(m.Layers) == 0 {
		errs = append(errs, fmt.Errorf("%w: model %q has no layers", ErrLayer, m.Name))
	}
	for i, l := range m.Layers {
		if err := l.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("layers[%d]: %w", i, err))
		}
	}
	return errors.Join(errs...)
}

// Distinct returns the model's layers with equal problems merged: the first of
// each kind, in order, its Count the sum of all. Members maps each to the
// indexes of the layers that it stands for.
func (m Model) Distinct() (layers []Layer, members [][]int) {
next:
	for i, l := range m.Layers {
		for j := range layers {
			if layers[j].SameProblem(l) {
				layers[j].Count += l.Occurrences()
				members[j] = append(members[j], i)
				continue next
			}
		}
		l.Count = l.Occurrences()
		layers = append(layers, l)
		members = append(members, []int{i})
	}
	return layers, members
}
