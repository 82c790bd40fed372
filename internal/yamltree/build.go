package yamltree

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

const (
	// maxNodes bounds what merge keys can blow a small file up to. Aliases share
	// the nodes of their anchors.
	maxNodes = 1 << 20
	maxKeys  = 10_000 // of a mapping
)

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

// mapping reads a mapping. What merge keys (<<) bring gives way to the mapping's
// own values.
func (b *builder) mapping(values []*ast.MappingValueNode, line, depth int) (*Node, error) {
	if len(values) > maxKeys {
		return nil, syntaxf(line, "a mapping has %d keys, want at most %d", len(values), maxKeys)
	}
	m := &Node{Kind: Map, Line: line}
	var merged []*Node
	places := map[string]int{}
	for _, v := range values {
		value, err := b.node(v.Value, depth+1)
		if err != nil {
			return nil, err
		}
		at := lineOf(v.Key)
		m.Line = min(m.Line, at)
		if _, merge := v.Key.(*ast.MergeKeyNode); merge {
			merged = append(append(merged, value), value.Items...)
			continue
		}
		key := keyText(v.Key)
		if i, twice := places[key]; twice {
			return nil, syntaxf(at, "%q occurs twice, first in line %d, want it once", key, m.Entries[i].Line)
		}
		places[key] = len(m.Entries)
		m.Entries = append(m.Entries, Entry{key, at, value})
	}
	return m, b.merge(m, merged, places)
}

// merge adds the entries of mappings that m lacks.
func (b *builder) merge(m *Node, from []*Node, places map[string]int) error {
	for _, n := range from {
		if b.nodes += len(n.Entries); b.nodes > maxNodes {
			return syntaxf(m.Line, "the file has more than %d values", maxNodes)
		}
		for _, e := range n.Entries {
			if _, own := places[e.Key]; own {
				continue
			}
			if places[e.Key] = len(m.Entries); len(m.Entries) == maxKeys {
				return syntaxf(m.Line, "a mapping has more than %d keys", maxKeys)
			}
			m.Entries = append(m.Entries, e)
		}
	}
	return nil
}

// keyText returns a key as it was written; any scalar may be one.
func keyText(key ast.MapKeyNode) string {
	if s, ok := key.(*ast.StringNode); ok {
		return s.Value
	}
	return key.String()
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
