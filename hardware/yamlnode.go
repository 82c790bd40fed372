package hardware

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// lines says on which line of a file each field is.
type lines map[string]int

// of returns the line of a field, or of the innermost mapping around it that
// the file has; 0 if there is none.
func (l lines) of(field string) int {
	for field != "" {
		if line, ok := l[field]; ok {
			return line
		}
		field = field[:max(strings.LastIndexAny(field, ".["), 0)]
	}
	return 0
}

// converter writes YAML nodes as JSON. Only mappings, lists and plain values
// are admitted: a description of an NPU has no use for anchors and tags.
type converter struct {
	out   bytes.Buffer
	lines lines
}

// node converts a node whose field has the given path.
func (c *converter) node(n ast.Node, path string) error {
	switch n := n.(type) {
	case *ast.MappingNode:
		return c.mapping(n.Values, path)
	case *ast.MappingValueNode:
		return c.mapping([]*ast.MappingValueNode{n}, path)
	case *ast.SequenceNode:
		return c.sequence(n.Values, path)
	case *ast.LiteralNode:
		return c.value(n.Value.Value)
	case *ast.NullNode:
		return c.value(nil)
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		return c.unsupported(n, "want the value itself")
	case *ast.InfinityNode, *ast.NanNode:
		return c.unsupported(n, "want a finite number")
	case *ast.StringNode:
		if n.Token.Type == token.StringType && isNumber(n.Value) {
			c.out.WriteString(n.Value)
			return nil
		}
		return c.value(n.Value)
	case ast.ScalarNode:
		switch v := n.GetValue().(type) {
		case float64:
			if math.IsInf(v, 0) {
				return c.unsupported(n, "want a finite number")
			}
			return c.value(v)
		case bool, int64, uint64:
			return c.value(v)
		}
	}
	return c.unsupported(n, "want plain values, lists and mappings")
}

// isNumber reports whether an unquoted text is a number: the parser takes 3e1
// for a text.
func isNumber(s string) bool {
	x, err := strconv.ParseFloat(s, 64)
	return err == nil && !math.IsInf(x, 0) && json.Valid([]byte(s))
}

func (c *converter) unsupported(n ast.Node, want string) error {
	return fmt.Errorf(":%d: %w: %s is not supported, %s", n.GetToken().Position.Line, ErrInvalid, strings.ToLower(n.Type().String()), want)
}

func (c *converter) value(v any) error {
	data, err := json.Marshal(v)
	c.out.Write(data)
	return err
}

func (c *converter) mapping(values []*ast.MappingValueNode, path string) error {
	c.out.WriteByte('{')
	for i, v := range values {
		if i > 0 {
			c.out.WriteByte(',')
		}
		key, ok := v.Key.(*ast.StringNode)
		if !ok {
			return c.unsupported(v.Key, "want a name as key")
		}
		field := within(path, key.Value)
		c.lines[field] = key.GetToken().Position.Line
		if err := c.value(key.Value); err != nil {
			return err
		}
		c.out.WriteByte(':')
		if err := c.node(v.Value, field); err != nil {
			return err
		}
	}
	c.out.WriteByte('}')
	return nil
}

func (c *converter) sequence(values []ast.Node, path string) error {
	c.out.WriteByte('[')
	for i, v := range values {
		if i > 0 {
			c.out.WriteByte(',')
		}
		field := index(path, i)
		if token := v.GetToken(); token != nil {
			c.lines[field] = token.Position.Line
		}
		if err := c.node(v, field); err != nil {
			return err
		}
	}
	c.out.WriteByte(']')
	return nil
}
