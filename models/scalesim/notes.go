package scalesim

import (
	"fmt"
	"strings"
)

// notes says in plain words what the model assumes.
func (r *reader) notes() []string {
	notes := []string{"Read from a SCALE-Sim topology: image sizes are taken with whatever padding they include."}
	add := func(names []string, format string) {
		if len(names) > 0 {
			notes = append(notes, fmt.Sprintf(format, some(names)))
		}
	}
	if r.columns.gemm {
		notes[0] = "Read from a SCALE-Sim topology of GEMMs."
	}
	switch {
	case r.layers[0].NoInputGrad:
		notes = append(notes, fmt.Sprintf("%s reads images of 3 channels, so its input is taken to need no gradient; all others' do.", r.layers[0].Name))
	default:
		notes = append(notes, "The file does not say which layer reads the network's input: all compute both gradients.")
	}
	if r.options.Batch == 0 && !r.batches && !r.columns.gemm {
		notes = append(notes, "The file has no batch: layers are of one image.")
	}
	if len(r.columns.others) > 0 {
		notes = append(notes, "Columns that are not read: "+strings.Join(r.columns.others, ", ")+".")
	}
	add(r.depthwise, "Depthwise, by the DP in the name: %s.")
	add(r.products, "Matrix products written as convolutions, read as GEMMs: %s.")
	add(r.roundedUp, "The stride does not divide evenly; outputs are rounded down, where SCALE-Sim rounds up: %s.")
	add(r.sparse, "Sparsity is not modelled, layers are dense: %s.")
	if r.renamed > 0 {
		notes = append(notes, fmt.Sprintf("%d layers whose name another one has are called NAME@LINE.", r.renamed))
	}
	return notes
}

// some lists the first few names.
func some(names []string) string {
	const few = 6
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}
