package hardware

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Bounds of the YAML of an NPU. The parser's time grows with the square of how
// deep values nest; nothing nests deeper than there are lists and mappings.
const (
	maxFileBytes = 1 << 16
	maxNesting   = 1000
)

// Load reads an NPU from a YAML file; see Parse.
func Load(path string) (*NPU, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("NPU file: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("NPU file: %w", err)
	}
	return Parse(data, path)
}

// Parse reads an NPU from YAML. name stands for the file in errors, and its
// last element without extension for an NPU whose file gives no name. Fields
// that are absent have defaults: elements of 2 bytes, partial sums of 4, a
// pipelined array with all three dataflows, 100 cycles of DMA latency, implicit
// im2col, one core, energies of 0. Errors give file, line and field and wrap
// ErrInvalid: all unknown keys (with the nearest known one) and all violations
// of Validate at once, else the first error of syntax.
func Parse(data []byte, name string) (*NPU, error) {
	doc, lines, err := readYAML(data)
	if err != nil {
		return nil, fmt.Errorf("%s%w", name, err)
	}
	base := filepath.Base(name)
	n, v := decodeNPU(doc, strings.TrimSuffix(base, filepath.Ext(base)))
	var errs []error
	for _, x := range v {
		if line := lines.of(x.field); line > 0 {
			errs = append(errs, fmt.Errorf("%s:%d: %w", name, line, x.err))
		} else {
			errs = append(errs, fmt.Errorf("%s: %w", name, x.err))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return n, nil
}

// readYAML converts one YAML document to JSON and says on which line each
// field is. Its errors begin with ":LINE: " or ": ".
func readYAML(data []byte) ([]byte, lines, error) {
	switch {
	case len(data) > maxFileBytes:
		return nil, nil, fmt.Errorf(": %w: the file has more than %s, want the YAML of one NPU", ErrInvalid, formatBytes(maxFileBytes))
	case nesting(data) > maxNesting:
		return nil, nil, fmt.Errorf(": %w: the file has more than %d lists or mappings, want the YAML of one NPU", ErrInvalid, maxNesting)
	case !utf8.Valid(data):
		return nil, nil, fmt.Errorf(": %w: the file is not UTF-8, want YAML", ErrInvalid)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, nil, syntaxError(err)
	}
	c := converter{lines: lines{}}
	documents := 0
	for _, d := range file.Docs {
		if _, directive := d.Body.(*ast.DirectiveNode); d.Body == nil || directive {
			continue
		}
		if documents++; documents > 1 {
			return nil, nil, fmt.Errorf(":%d: %w: a second document begins, want one NPU in a file", d.Body.GetToken().Position.Line, ErrInvalid)
		}
		if err := c.node(d.Body, ""); err != nil {
			return nil, nil, err
		}
	}
	if documents == 0 {
		c.out.WriteString("null")
	}
	return c.out.Bytes(), c.lines, nil
}

// nesting bounds how deep the values of a file may nest in one line.
func nesting(data []byte) int {
	return bytes.Count(data, []byte("[")) + bytes.Count(data, []byte("{")) + bytes.Count(data, []byte("- ")) + bytes.Count(data, []byte("? "))
}

// syntaxError gives the line and message of an error of the YAML parser.
func syntaxError(err error) error {
	var e yaml.Error
	if errors.As(err, &e) && e.GetToken() != nil {
		return fmt.Errorf(":%d: %w: %s", e.GetToken().Position.Line, ErrInvalid, e.GetMessage())
	}
	return fmt.Errorf(": %w: %w", ErrInvalid, err)
}
