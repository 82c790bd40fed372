package onnx

import (
	"fmt"
	"strings"
)

// Report says what an import found and what it left out.
type Report struct {
	Producer string  // the program that wrote the file
	IR       int64   // version of the file format
	Opsets   []Opset // versions of the operators
	Layers   int     // layers found, occurrences not counted
	// Dims are the symbolic dimensions that were given values, in order.
	Dims []DimUse
	// Without are the nodes that hold no GEMM, by type, most frequent first.
	Without []OpCount
	// LeftOut are nodes that hold, or may hold, a GEMM that is in no layer.
	LeftOut []LeftOut
	// Notes are assumptions, in plain words.
	Notes []string
}

// Opset is a version of a family of operators; an empty domain is ONNX's own.
type Opset struct {
	Domain  string
	Version int64
}

// DimUse is a symbolic dimension and the value that it was given.
type DimUse struct {
	Name  string
	Value int64
}

// OpCount is how many nodes of a type there are.
type OpCount struct {
	Op    string
	Nodes int64
}

// LeftOut is a node that gave no layer, and why.
type LeftOut struct {
	Node, Op, Why string
}

// String returns the report as lines of text.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d layers from %s (IR %d", r.Layers, orUnknown(r.Producer), r.IR)
	for _, o := range r.Opsets {
		domain := o.Domain
		if domain == "" {
			domain = "opset"
		}
		fmt.Fprintf(&b, ", %s %d", domain, o.Version)
	}
	b.WriteString(")\n")
	for _, d := range r.Dims {
		fmt.Fprintf(&b, "dimension %s = %d\n", d.Name, d.Value)
	}
	if len(r.Without) > 0 {
		b.WriteString("nodes without GEMM:")
		for i, c := range r.Without {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, " %d %s", c.Nodes, c.Op)
		}
		b.WriteByte('\n')
	}
	for _, l := range r.LeftOut {
		fmt.Fprintf(&b, "left out: %q (%s): %s\n", l.Node, l.Op, l.Why)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	return b.String()
}

func orUnknown(s string) string {
	if s == "" {
		return "an unknown producer"
	}
	return s
}
