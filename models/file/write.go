package file

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/npu-tune/npu-tune/models"
)

// YAML returns a model as Parse reads it, a layer a line. Convolutions are
// written as such wherever that gives their GEMM exactly, else as a GEMM with
// its window.
func YAML(m models.Model) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "name: %s\n", quoted(m.Name))
	for i, n := range m.Notes {
		if i == 0 {
			b.WriteString("notes:\n")
		}
		fmt.Fprintf(&b, "  - %s\n", quoted(n))
	}
	if m.OtherParameters > 0 {
		fmt.Fprintf(&b, "other_parameters: %d\n", m.OtherParameters)
	}
	b.WriteString("layers:\n")
	for _, l := range m.Layers {
		fmt.Fprintf(&b, "  - {%s}\n", flow(fields(l), false))
	}
	return b.Bytes()
}

// JSON returns a model as Parse reads it, with the fields of YAML.
func JSON(m models.Model) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n  \"name\": %s,\n", quoted(m.Name))
	if len(m.Notes) > 0 {
		var notes []string
		for _, n := range m.Notes {
			notes = append(notes, quoted(n))
		}
		fmt.Fprintf(&b, "  \"notes\": [\n    %s\n  ],\n", strings.Join(notes, ",\n    "))
	}
	if m.OtherParameters > 0 {
		fmt.Fprintf(&b, "  \"other_parameters\": %d,\n", m.OtherParameters)
	}
	b.WriteString("  \"layers\": [")
	for i, l := range m.Layers {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n    {%s}", flow(fields(l), true))
	}
	b.WriteString("\n  ]\n}\n")
	return b.Bytes()
}

// field is a key and its value as JSON, or a mapping's fields.
type field struct {
	key   string
	value string
	of    []field
}

// flow joins fields as they stand within braces.
func flow(fields []field, quoteKeys bool) string {
	var parts []string
	for _, f := range fields {
		key, value := f.key, f.value
		if quoteKeys {
			key = strconv.Quote(key)
		}
		if f.of != nil {
			value = "{" + flow(f.of, quoteKeys) + "}"
		}
		parts = append(parts, key+": "+value)
	}
	return strings.Join(parts, ", ")
}

// quoted returns a text in double quotes; JSON's are YAML's too.
func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return `""` // no string fails to encode
	}
	return strings.TrimSpace(b.String())
}

func number(key string, n int64) field { return field{key: key, value: strconv.FormatInt(n, 10)} }

// fields returns a layer's fields; those that hold their defaults are left out.
func fields(l models.Layer) []field {
	list := []field{{key: "name", value: quoted(l.Name)}}
	shape, ok := convFields(l)
	if !ok {
		shape = gemmFields(l)
	}
	list = append(list, shape...)
	if l.NoInputGrad {
		list = append(list, field{key: "no_input_grad", value: "true"})
	}
	if l.Activations {
		list = append(list, field{key: "activations", value: "true"})
	}
	if l.Occurrences() > 1 {
		list = append(list, number("count", l.Count))
	}
	return list
}

func gemmFields(l models.Layer) []field {
	list := []field{number("m", l.M), number("n", l.N), number("k", l.K)}
	if l.Batches() > 1 {
		list = append(list, number("batch", l.Batch))
	}
	if c := l.Conv; c != nil {
		list = append(list, field{key: "conv", of: []field{
			number("h", c.H), number("w", c.W), number("p", c.P), number("q", c.Q), number("r", c.R), number("s", c.S),
			number("stride_h", c.StrideH), number("stride_w", c.StrideW),
			number("dilation_h", c.DilationH), number("dilation_w", c.DilationW), number("pad_h", c.PadH), number("pad_w", c.PadW),
		}})
	}
	return list
}

// convFields returns the fields of a convolution; ok is false if none gives
// the layer's GEMM and window.
func convFields(l models.Layer) (list []field, ok bool) {
	c := l.Conv
	if c == nil || l.M%(c.P*c.Q) != 0 || l.K%(c.R*c.S) != 0 {
		return nil, false
	}
	below, ok1 := after(c.H, c.P, c.R, c.StrideH, c.DilationH, c.PadH)
	right, ok2 := after(c.W, c.Q, c.S, c.StrideW, c.DilationW, c.PadW)
	channels, filters := l.K/(c.R*c.S)*l.Batches(), l.N*l.Batches()
	if !ok1 || !ok2 || channels > models.MaxDim || filters > models.MaxDim {
		return nil, false
	}
	list = []field{
		number("images", l.M/(c.P*c.Q)), number("channels", channels), number("height", c.H), number("width", c.W),
		number("filters", filters), both("kernel", c.R, c.S),
	}
	if c.StrideH != 1 || c.StrideW != 1 {
		list = append(list, both("stride", c.StrideH, c.StrideW))
	}
	if pads := [4]int64{c.PadH, c.PadW, below, right}; pads != [4]int64{} {
		list = append(list, paddingField(pads))
	}
	if c.DilationH != 1 || c.DilationW != 1 {
		list = append(list, both("dilation", c.DilationH, c.DilationW))
	}
	if l.Batches() > 1 {
		list = append(list, number("groups", l.Batch))
	}
	return list, true
}

// after returns the padding behind an extent that gives so many positions of a
// window: as much as before it if that does, else the least.
func after(extent, positions, kernel, stride, dilation, before int64) (pad int64, ok bool) {
	if kernel > models.MaxDim || dilation*(kernel-1) > 1<<40 || stride*(positions-1) > 1<<40 {
		return 0, false
	}
	least := stride*(positions-1) + dilation*(kernel-1) + 1 - extent - before
	if before >= least && before < least+stride {
		return before, true
	}
	if least <= 0 {
		return 0, least > -stride // with no padding the window has room for just these positions
	}
	return least, least <= models.MaxDim
}

func both(key string, rows, columns int64) field {
	if rows == columns {
		return number(key, rows)
	}
	return field{key: key, value: fmt.Sprintf("[%d, %d]", rows, columns)}
}

func paddingField(p [4]int64) field {
	if p[0] == p[2] && p[1] == p[3] {
		return both("padding", p[0], p[1])
	}
	return field{key: "padding", value: fmt.Sprintf("[%d, %d, %d, %d]", p[0], p[1], p[2], p[3])}
}
