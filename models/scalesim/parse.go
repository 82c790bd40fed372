package scalesim

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/npu-tune/npu-tune/models"
)

// ErrTopology is wrapped by every error about what a topology file holds.
var ErrTopology = errors.New("malformed SCALE-Sim topology")

const (
	maxBytes  = 4 << 20 // of a file
	maxLayers = 20_000

	// maxMACs bounds a forward pass, so that no sum over passes and layers
	// overflows 64 bits.
	maxMACs = float64(1 << 60)
)

// Options sizes what a file has for one image.
type Options struct {
	// Batch replaces the images of each convolution; 0 keeps the file's batch
	// column, or one image. A file of GEMMs has no images.
	Batch int64
}

// Load reads a topology from a file; see Parse.
func Load(path string, o Options) (models.Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return models.Model{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return models.Model{}, err
	}
	return Parse(data, path, o)
}

// Parse reads a topology. name stands for the file in errors, and its last
// element without extension is the model's name. Errors wrap ErrTopology: every
// malformed row with file and line, what it has and what would be right. What
// the model assumes is in its notes.
func Parse(data []byte, name string, o Options) (models.Model, error) {
	r := reader{file: name, options: o}
	switch {
	case len(data) > maxBytes:
		r.badf(0, "the file has more than %d bytes", maxBytes)
	case !utf8.Valid(data):
		r.badf(0, "the file is not UTF-8, want CSV")
	default:
		r.read(data)
	}
	if len(r.errs) > 0 {
		return models.Model{}, r.err()
	}
	base := filepath.Base(name)
	m := models.Model{Name: strings.TrimSuffix(base, filepath.Ext(base)), Layers: r.layers, Notes: r.notes()}
	if err := m.Validate(); err != nil {
		return models.Model{}, fmt.Errorf("%s: %w: %w", name, ErrTopology, err)
	}
	return m, nil
}

// reader reads the rows of a file.
type reader struct {
	file    string
	options Options
	columns *columns
	layers  []models.Layer
	lines   map[string]int // of each layer's name
	macs    float64
	errs    []error

	depthwise, roundedUp, sparse, products []string // names, for notes
	batches                                bool     // the file has a batch column
	renamed                                int
}

func (r *reader) badf(line int, format string, args ...any) {
	where := r.file
	if line > 0 {
		where = fmt.Sprintf("%s:%d", r.file, line)
	}
	r.errs = append(r.errs, fmt.Errorf("%s: %w: "+format, append([]any{where, ErrTopology}, args...)...))
}

func (r *reader) err() error { return errors.Join(r.errs...) }

func (r *reader) read(data []byte) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	r.lines = map[string]int{}
	number := 0
	for text := range strings.Lines(string(data)) {
		number++
		if row := cells(text); len(row) > 0 && !r.row(number, row) {
			return
		}
		if len(r.layers) > maxLayers {
			r.badf(number, "the file has more than %d layers", maxLayers)
			return
		}
	}
	if len(r.errs) == 0 && len(r.layers) == 0 {
		r.badf(0, "the file has no layers, want a row a layer below a header such as Layer name, M, N, K")
	}
	if r.macs > maxMACs {
		r.badf(0, "its layers take %.3g multiply-accumulates in all, want at most %.3g", r.macs, maxMACs)
	}
}

// cells splits a row, without spaces around cells and empty ones at its end;
// none for a row that is blank.
func cells(text string) []string {
	row := strings.Split(text, ",")
	for i, c := range row {
		row[i] = strings.TrimFunc(c, func(r rune) bool { return unicode.IsSpace(r) || r == '"' })
	}
	for len(row) > 0 && row[len(row)-1] == "" {
		row = row[:len(row)-1]
	}
	return row
}

// row reads one row; false if there is no use in reading on.
func (r *reader) row(line int, row []string) bool {
	if r.columns != nil {
		r.layer(line, row)
		return true
	}
	if isHeader(row) {
		c, missing, twice := header(row)
		for _, t := range twice {
			r.badf(line, "column %q is there twice, want it once", t)
		}
		if len(missing) > 0 {
			r.badf(line, "the header has no column %s, want %s or %s", strings.Join(missing, ", "), joined(convColumns), joined(gemmColumns))
		}
		r.columns = &c
		return len(r.errs) == 0
	}
	c, ok := positional(row)
	if !ok {
		r.badf(line, "the file has no header and %d columns, want %d (%s), one more (%s), or %d (%s)", len(row),
			len(convColumns), joined(convColumns), strideW, len(gemmColumns), joined(gemmColumns))
		return false
	}
	r.columns = &c
	r.layer(line, row)
	return true
}

func joined(fields []field) string {
	var names []string
	for _, f := range fields {
		names = append(names, f.String())
	}
	return strings.Join(names, ", ")
}
