package yamltree

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/npu-tune/npu-tune/internal/nearest"
)

// Problems collects everything that is wrong with a file.
type Problems struct {
	file  string
	cause error
	errs  []error
}

// NewProblems returns an empty collection for a file; each error names it and
// wraps cause.
func NewProblems(file string, cause error) *Problems { return &Problems{file: file, cause: cause} }

// Addf reports what is wrong with what a line has; line 0 is the whole file.
func (p *Problems) Addf(line int, format string, args ...any) {
	where := p.file
	if line > 0 {
		where += ":" + strconv.Itoa(line)
	}
	p.errs = append(p.errs, fmt.Errorf("%s: %w: "+format, append([]any{where, p.cause}, args...)...))
}

// Syntax reports an error of Parse.
func (p *Problems) Syntax(err error) {
	var e *SyntaxError
	if errors.As(err, &e) {
		p.Addf(e.Line, "%s", e.Text)
		return
	}
	p.Addf(0, "%w", err)
}

// Err returns everything that was reported, in order; nil if there is nothing.
func (p *Problems) Err() error { return errors.Join(p.errs...) }

// Count returns how many problems were reported.
func (p *Problems) Count() int { return len(p.errs) }

// Fields reads the fields of one mapping, and remembers which it was asked for.
type Fields struct {
	Path  string // of the mapping; empty for the whole file
	Line  int
	node  *Node
	to    *Problems
	known []string
}

// Fields returns the reader of a mapping that path names in messages; what is
// no mapping is reported and read as an empty one.
func (p *Problems) Fields(n *Node, path string) *Fields {
	f := &Fields{Path: path, node: n, to: p}
	if n == nil {
		return f
	}
	f.Line = n.Line
	if n.Kind != Map {
		p.Addf(n.Line, "%s is %s, want a mapping", orFile(path), n.Describe())
		f.node = nil
	}
	return f
}

func orFile(path string) string {
	if path == "" {
		return "the file"
	}
	return Shown(path)
}

// Shown returns a name for messages: quoted where it does not print.
func Shown(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// Describe says what a value is: scalars themselves, others by kind.
func (n *Node) Describe() string {
	switch n.Kind {
	case Bool, Int, Float:
		return n.Text
	case Text:
		return fmt.Sprintf("%.100q", n.Text)
	}
	return n.Kind.String()
}

// Problems returns what was reported of the file so far.
func (f *Fields) Problems() []error { return f.to.errs }

// Ask marks keys as known without reading them.
func (f *Fields) Ask(keys ...string) {
	for _, k := range keys {
		if !slices.Contains(f.known, k) {
			f.known = append(f.known, k)
		}
	}
}

// Within returns the reader of a mapping that is the value of a key.
func (f *Fields) Within(key string) *Fields { return f.to.Fields(f.Value(key), f.Name(key)) }

// Here reports what is wrong with the mapping as a whole.
func (f *Fields) Here(format string, args ...any) {
	f.to.Addf(f.Line, "%s "+format, append([]any{orFile(f.Path)}, args...)...)
}

// Missing reports that a field which has no default is not there, unless the
// mapping itself was reported, or has a key that is near and unknown: Unknown
// says more of it. All keys that the mapping may have must be asked for before.
func (f *Fields) Missing(key, want string, args ...any) {
	if f.node == nil {
		return
	}
	for _, e := range f.node.Entries {
		if _, near := nearest.Name(e.Key, []string{key}); near && !slices.Contains(f.known, e.Key) {
			return
		}
	}
	f.to.Addf(f.Line, "%s is missing, want "+want, append([]any{Shown(f.Name(key))}, args...)...)
}

// Name returns the path of one of the mapping's fields.
func (f *Fields) Name(key string) string { return strings.TrimPrefix(f.Path+"."+key, ".") }

// Has reports whether the mapping has a key with a value.
func (f *Fields) Has(key string) bool {
	n := f.node.Get(key)
	return n != nil && n.Kind != Null
}

// Value returns the value of a key, nil if there is none.
func (f *Fields) Value(key string) *Node {
	if !slices.Contains(f.known, key) {
		f.known = append(f.known, key)
	}
	if !f.Has(key) {
		return nil
	}
	return f.node.Get(key)
}

// Badf reports what is wrong with a field: its path, and the formatted rest.
func (f *Fields) Badf(key, format string, args ...any) {
	line := f.Line
	for _, e := range f.entries() {
		if e.Key == key {
			line = e.Line
		}
	}
	f.to.Addf(line, "%s "+format, append([]any{Shown(f.Name(key))}, args...)...)
}

func (f *Fields) entries() []Entry {
	if f.node == nil {
		return nil
	}
	return f.node.Entries
}

// Int returns a whole number of low to high, or otherwise where there is none.
func (f *Fields) Int(key string, low, high, otherwise int64) int64 {
	n := f.Value(key)
	if n == nil {
		return otherwise
	}
	v, err := strconv.ParseInt(n.Text, 10, 64)
	if n.Kind != Int || err != nil || v < low || v > high {
		f.Badf(key, "is %s, want a whole number from %d to %d", n.Describe(), low, high)
		return otherwise
	}
	return v
}

// Bool returns true or false; false where there is none.
func (f *Fields) Bool(key string) bool {
	n := f.Value(key)
	if n == nil {
		return false
	}
	if n.Kind != Bool {
		f.Badf(key, "is %s, want true or false", n.Describe())
		return false
	}
	return n.Text == "true"
}

// Text returns a text; empty where there is none. Numbers are texts too.
func (f *Fields) Text(key string) string {
	n := f.Value(key)
	if n == nil {
		return ""
	}
	if n.Kind == List || n.Kind == Map {
		f.Badf(key, "is %s, want a text", n.Describe())
		return ""
	}
	return n.Text
}

// Items returns a list's values; none where there is no list.
func (f *Fields) Items(key string) []*Node {
	n := f.Value(key)
	if n == nil {
		return nil
	}
	if n.Kind != List {
		f.Badf(key, "is %s, want a list", n.Describe())
		return nil
	}
	return n.Items
}

// Unknown reports every key that was not asked for, with the nearest that was.
func (f *Fields) Unknown() {
	asked := map[string]bool{}
	for _, k := range f.known {
		asked[k] = true
	}
	for _, e := range f.entries() {
		if asked[e.Key] {
			continue
		}
		if hint := nearest.Hint(e.Key, f.known); hint != "" {
			f.Badf(e.Key, "is unknown%s", hint)
			continue
		}
		f.Badf(e.Key, "is unknown, want %s", strings.Join(f.known, ", "))
	}
}
