package yamltree

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// maxNodes bounds what anchors can blow a small file up to.
const maxNodes = 1 << 20

// builder makes the tree of a document.
type builder struct {
	depth   int
	nodes   int
	anchors map[string]*Node
}

func (b *builder) node(n ast.Node, depth int) (*Node, error) {
	if depth > b.depth {
		return nil, syntaxf(lineOf(n), "values nest deeper than %d", b.depth)
	}
	if b.nodes++; b.nodes > maxNodes {
		return nil, syntaxf(lineOf(n), "the file has more than %d values", maxNodes)
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return b.mapping(n.Values, lineOf(n), depth)
	case *ast.MappingValueNode:
		return b.mapping([]*ast.MappingValueNode{n}, lineOf(n), depth)
	case *ast.SequenceNode:
		return b.list(n, depth)
	case *ast.AnchorNode:
		return b.anchor(n, depth)
	case *ast.AliasNode:
		return b.alias(n)
	case *ast.TagNode:
		return b.tagged(n, depth)
	case nil:
		return &Node{}, nil
	}
	return scalar(n)
}

func (b *builder) anchor(n *ast.AnchorNode, depth int) (*Node, error) {
	value, err := b.node(n.Value, depth+1)
	if err == nil {
		b.anchors[n.Name.String()] = value
	}
	return value, err
}

func (b *builder) alias(n *ast.AliasNode) (*Node, error) {
	value, ok := b.anchors[n.Value.String()]
	if !ok {
		return nil, syntaxf(lineOf(n), "*%s is no anchor above, want &%s before it", n.Value, n.Value)
	}
	return value, nil
}

func (b *builder) tagged(n *ast.TagNode, depth int) (*Node, error) {
	if n.Value == nil {
		return &Node{Kind: Null, Line: lineOf(n), Tag: n.Start.Value}, nil
	}
	value, err := b.node(n.Value, depth+1)
	if err != nil {
		return nil, err
	}
	tagged := *value
	tagged.Tag = n.Start.Value
	return &tagged, nil
}

func (b *builder) list(n *ast.SequenceNode, depth int) (*Node, error) {
	list := &Node{Kind: List, Line: lineOf(n)}
	for _, v := range n.Values {
		item, err := b.node(v, depth+1)
		if err != nil {
			return nil, err
		}
		list.Items = append(list.Items, item)
	}
	return list, nil
}

// mapping reads a mapping. Those that a merge key (<<) names come first, so
// that the mapping's own values win.
func (b *builder) mapping(values []*ast.MappingValueNode, line, depth int) (*Node, error) {
	m := &Node{Kind: Map, Line: line}
	own := map[string]int{}
	for _, v := range values {
		value, err := b.node(v.Value, depth+1)
		if err != nil {
			return nil, err
		}
		key := keyText(v.Key)
		if _, merge := v.Key.(*ast.MergeKeyNode); merge {
			m.merge(value)
			continue
		}
		at := lineOf(v.Key)
		if first, twice := own[key]; twice {
			return nil, syntaxf(at, "%q occurs twice, first in line %d, want it once", key, first)
		}
		own[key] = at
		m.set(Entry{key, at, value})
		m.Line = min(m.Line, at)
	}
	return m, nil
}

// keyText returns a key as it was written; any scalar may be one.
func keyText(key ast.MapKeyNode) string {
	if s, ok := key.(*ast.StringNode); ok {
		return s.Value
	}
	return key.String()
}

// merge adds the entries of a mapping, or of a list of them, that n lacks.
func (n *Node) merge(value *Node) {
	for _, m := range append([]*Node{value}, value.Items...) {
		for _, e := range m.Entries {
			if n.Get(e.Key) == nil {
				n.Entries = append(n.Entries, e)
			}
		}
	}
}

func (n *Node) set(e Entry) {
	for i := range n.Entries {
		if n.Entries[i].Key == e.Key {
			n.Entries[i] = e
			return
		}
	}
	n.Entries = append(n.Entries, e)
}

func scalar(n ast.Node) (*Node, error) {
	s := &Node{Line: lineOf(n)}
	switch n := n.(type) {
	case *ast.NullNode:
		return s, nil
	case *ast.LiteralNode:
		s.Kind, s.Text = Text, n.Value.Value
		return s, nil
	case *ast.StringNode:
		s.Kind, s.Text = Text, n.Value
		if n.Token.Type == token.StringType && isNumber(n.Value) {
			s.Kind = Float // the parser takes 3e1 for a text
		}
		return s, nil
	case *ast.InfinityNode, *ast.NanNode:
		s.Kind, s.Text = Float, n.String()
		return s, nil
	case ast.ScalarNode:
		return s.plain(n)
	}
	return nil, syntaxf(lineOf(n), "%s is not supported, want plain values, lists and mappings", strings.ToLower(n.Type().String()))
}

// plain fills in a value that the parser has converted.
func (n *Node) plain(from ast.ScalarNode) (*Node, error) {
	switch v := from.GetValue().(type) {
	case bool:
		n.Kind, n.Text = Bool, strconv.FormatBool(v)
	case int64:
		n.Kind, n.Text = Int, strconv.FormatInt(v, 10)
	case uint64:
		n.Kind, n.Text = Int, strconv.FormatUint(v, 10)
	case float64:
		n.Kind, n.Text = Float, strconv.FormatFloat(v, 'g', -1, 64)
	default:
		return nil, syntaxf(n.Line, "%s is not supported, want plain values, lists and mappings", strings.ToLower(from.Type().String()))
	}
	return n, nil
}

// isNumber reports whether an unquoted text is a finite number.
func isNumber(s string) bool {
	x, err := strconv.ParseFloat(s, 64)
	return err == nil && !math.IsInf(x, 0) && json.Valid([]byte(s))
}
