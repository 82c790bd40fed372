package yamltree

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Limits bound what a file may hold. The parser's time grows with the square of
// how deep values nest.
type Limits struct {
	Bytes int // size of the file
	Depth int // lists and mappings within each other
}

// SyntaxError is what is wrong at a line of a file; line 0 is the whole file.
type SyntaxError struct {
	Line int
	Text string
}

func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.Text
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Text)
}

func syntaxf(line int, format string, args ...any) error {
	return &SyntaxError{line, fmt.Sprintf(format, args...)}
}

// Parse reads the one document of a file. Its errors are *SyntaxError. An empty
// file is a node of kind Null.
func Parse(data []byte, limits Limits) (*Node, error) {
	switch {
	case len(data) > limits.Bytes:
		return nil, syntaxf(0, "the file has more than %d bytes", limits.Bytes)
	case !utf8.Valid(data):
		return nil, syntaxf(0, "the file is not UTF-8")
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if line, deep := tooDeep(data, limits.Depth); deep {
		return nil, syntaxf(line, "values nest deeper than %d", limits.Depth)
	}
	file, err := parse(data)
	if err != nil {
		return nil, err
	}
	root := &Node{}
	documents := 0
	for _, d := range file.Docs {
		if _, directive := d.Body.(*ast.DirectiveNode); d.Body == nil || directive {
			continue
		}
		if documents++; documents > 1 {
			return nil, syntaxf(lineOf(d.Body), "a second document begins, want one in a file")
		}
		b := builder{depth: limits.Depth, anchors: map[string]*Node{}}
		if root, err = b.node(d.Body, 0); err != nil {
			return nil, err
		}
	}
	return root, nil
}

// parse turns a panic of the parser into an error: what it cannot read is the
// file's fault as far as the caller is concerned.
func parse(data []byte) (file *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			file, err = nil, syntaxf(0, "the file cannot be read as YAML")
		}
	}()
	file, err = parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	var e yaml.Error
	switch {
	case errors.As(err, &e) && e.GetToken() != nil:
		return nil, syntaxf(e.GetToken().Position.Line, "%s", e.GetMessage())
	case err != nil:
		return nil, syntaxf(0, "%s", err)
	}
	return file, nil
}

// tooDeep bounds the nesting of flow values, and of block values by how many
// begin in one line: deeper ones need as much indentation.
func tooDeep(data []byte, most int) (line int, deep bool) {
	flow := 0
	for text := range bytes.Lines(data) {
		line++
		blocks := bytes.Count(text, []byte("- ")) + bytes.Count(text, []byte("? "))
		flow += bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{"))
		indent := len(text) - len(bytes.TrimLeft(text, " "))
		if flow > most || blocks+indent > 4*most {
			return line, true
		}
		flow = max(0, flow-bytes.Count(text, []byte("]"))-bytes.Count(text, []byte("}")))
	}
	return 0, false
}

func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 0
}
