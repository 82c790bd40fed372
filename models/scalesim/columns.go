package scalesim

import (
	"strconv"
	"strings"
	"unicode"
)

// field is what a column holds.
type field uint8

const (
	name field = iota
	height
	width
	filterHeight
	filterWidth
	channels
	filters
	strideH
	strideW
	batch
	sparsity
	gemmM
	gemmN
	gemmK
	numFields
)

var fieldNames = [numFields]string{
	"layer name", "IFMAP height", "IFMAP width", "filter height", "filter width", "channels", "num filter",
	"stride", "stride width", "batch size", "sparsity", "M", "N", "K",
}

// String returns the field's name in a header.
func (f field) String() string { return fieldNames[f] }

// spellings are headers in lower case, letters only, and what they mean.
var spellings = map[string]field{
	"layername": name, "layer": name, "name": name, "layers": name,
	"ifmapheight": height, "ifmaph": height, "inputheight": height,
	"ifmapwidth": width, "ifmapw": width, "inputwidth": width,
	"filterheight": filterHeight, "filterh": filterHeight, "kernelheight": filterHeight,
	"filterwidth": filterWidth, "filterw": filterWidth, "kernelwidth": filterWidth,
	"channels": channels, "channel": channels, "numchannels": channels,
	"numfilter": filters, "numfilters": filters, "filters": filters,
	"strides": strideH, "stride": strideH, "strideheight": strideH, "strideh": strideH,
	"stridewidth": strideW, "stridew": strideW,
	"batchsize": batch, "batch": batch,
	"sparsity": sparsity, "sparsityratio": sparsity, "sparsityn:m": sparsity,
	"m": gemmM, "n": gemmN, "k": gemmK,
}

// The columns of files without a header, and those that a row must have.
var (
	convColumns = []field{name, height, width, filterHeight, filterWidth, channels, filters, strideH}
	gemmColumns = []field{name, gemmM, gemmN, gemmK}
)

// columns says what each column of a file holds; -1 where nobody knows.
type columns struct {
	of     []int // index of each field's column, -1 where there is none
	gemm   bool
	others []string // headers that mean nothing here
}

func newColumns(gemm bool, list []field) columns {
	c := columns{of: make([]int, numFields), gemm: gemm}
	for f := range c.of {
		c.of[f] = -1
	}
	for i, f := range list {
		c.of[f] = i
	}
	return c
}

// required are the fields that a row must have.
func (c *columns) required() []field {
	if c.gemm {
		return gemmColumns
	}
	return convColumns
}

// letters returns a header's letters in lower case.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || r == ':' {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// isHeader reports whether a row names columns: no cell after the first is a
// number.
func isHeader(row []string) bool {
	for _, cell := range row[min(1, len(row)):] {
		if _, err := strconv.ParseFloat(cell, 64); err == nil {
			return false
		}
	}
	return true
}

// header reads what the columns hold; missing names the required ones that it
// lacks, twice what it has two of.
func header(row []string) (c columns, missing, twice []string) {
	c = newColumns(false, nil)
	for i, cell := range row {
		f, known := spellings[letters(cell)]
		switch {
		case !known && i == 0:
			c.of[name] = 0 // whatever the first column is called, it names layers
		case !known:
			if cell != "" {
				c.others = append(c.others, cell)
			}
		case c.of[f] >= 0:
			twice = append(twice, cell)
		default:
			c.of[f] = i
		}
	}
	c.gemm = c.of[gemmM] >= 0 || c.of[gemmN] >= 0 || c.of[gemmK] >= 0
	for _, f := range c.required() {
		if c.of[f] < 0 {
			missing = append(missing, f.String())
		}
	}
	return c, missing, twice
}

// positional returns the columns of a file whose first row is a layer.
func positional(row []string) (c columns, ok bool) {
	switch len(row) {
	case len(gemmColumns):
		return newColumns(true, gemmColumns), true
	case len(convColumns):
		return newColumns(false, convColumns), true
	case len(convColumns) + 1:
		return newColumns(false, append(append([]field{}, convColumns...), strideW)), true
	}
	return c, false
}
