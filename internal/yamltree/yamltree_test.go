package yamltree_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/internal/yamltree"
)

var limits = yamltree.Limits{Bytes: 1 << 20, Depth: 20}

// show writes a tree with its lines: kind or text, then @line.
func show(n *yamltree.Node) string {
	var parts []string
	switch n.Kind {
	case yamltree.List:
		for _, i := range n.Items {
			parts = append(parts, show(i))
		}
		return fmt.Sprintf("%s[%s]", n.Tag, strings.Join(parts, " "))
	case yamltree.Map:
		for _, e := range n.Entries {
			parts = append(parts, fmt.Sprintf("%s@%d=%s", e.Key, e.Line, show(e.Value)))
		}
		return fmt.Sprintf("%s{%s}", n.Tag, strings.Join(parts, " "))
	case yamltree.Text:
		return fmt.Sprintf("%s%q", n.Tag, n.Text)
	case yamltree.Null:
		return n.Tag + "null"
	}
	return n.Tag + n.Text
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ yaml, want string }{
		{"", "null"},
		{"a: 1\nb: [x, 2.5, true, null, 'y']", `{a@1=1 b@2=["x" 2.5 true null "y"]}`},
		{`{"a": {"b": -3}}`, `{a@1={b@1=-3}}`},
		{"a: 3e1\nb: '3e1'\nc: 0x10", `{a@1=3e1 b@2="3e1" c@3=16}`},
		{"- a: 1\n  b: 2\n-\n  - 3", `[{a@1=1 b@2=2} [3]]`},
		{"x: &n {a: 1, b: 2}\ny: *n\nz:\n  <<: *n\n  b: 3", `{x@1={a@1=1 b@1=2} y@2={a@1=1 b@1=2} z@3={b@5=3 a@1=1}}`},
		{"x: &n {a: 1}\ny: &m {b: 2}\nz: {<<: [*n, *m], c: 3}", `{x@1={a@1=1} y@2={b@2=2} z@3={c@3=3 a@1=1 b@2=2}}`},
		{"- !Container\n  name: x\n- !Empty {}", `[!Container{name@2="x"} !Empty{}]`},
		{"1: a\ntrue: b", `{1@1="a" true@2="b"}`},
		{"\ufeffa: |\n  two\n  lines\n", `{a@1="two\nlines\n"}`},
		{"%YAML 1.2\n---\na: 1", `{a@3=1}`},
	} {
		n, err := yamltree.Parse([]byte(c.yaml), limits)
		if err != nil {
			t.Errorf("%q: %v", c.yaml, err)
			continue
		}
		if diff := cmp.Diff(c.want, show(n)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.yaml, diff)
		}
	}
}

func TestSyntax(t *testing.T) {
	keys := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "k%d: 1\n", i)
		}
		return b.String()
	}
	for _, c := range []struct{ yaml, want string }{
		{"a: 1\nb: 2\na: 3", `line 3: "a" occurs twice, first in line 1, want it once`},
		{"a: *n", "line 1: *n is no anchor above, want &n before it"},
		{"a: 1\n---\nb: 2", "line 3: a second document begins, want one in a file"},
		{"\xff", "the file is not UTF-8"},
		{strings.Repeat("[", 21), "line 1: values nest deeper than 20"},
		{strings.Repeat("- ", 200), "line 1: values nest deeper than 20"},
		{strings.Repeat("x", 1<<20+1), "the file has more than 1048576 bytes"},
		{keys(10_001), "line 1: a mapping has 10001 keys, want at most 10000"},
		{"a: &a\n  " + strings.ReplaceAll(keys(9000), "\n", "\n  ") + "\nb:\n" + strings.Repeat("- <<: *a\n", 120), "the file has more than 1048576 values"},
	} {
		_, err := yamltree.Parse([]byte(c.yaml), limits)
		var syntax *yamltree.SyntaxError
		if !errors.As(err, &syntax) || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%.60q: error %v, want %s", c.yaml, err, c.want)
		}
	}
}

func TestFields(t *testing.T) {
	n, err := yamltree.Parse([]byte("size: 3\nsizee: 4\nflag: maybe\nlist: 5\ntext: [1]\nin:\n  width: 99"), limits)
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("bad file")
	p := yamltree.NewProblems("f.yaml", cause)
	f := p.Fields(n, "")
	f.Ask("height")
	if v := f.Int("size", 1, 9, 0); v != 3 {
		t.Errorf("size is %d, want 3", v)
	}
	f.Bool("flag")
	f.Items("list")
	f.Text("text")
	in := f.Within("in")
	in.Ask("height", "width")
	in.Int("width", 1, 9, 1)
	in.Missing("height", "a whole number")
	in.Unknown()
	f.Unknown()
	want := []string{
		`f.yaml:3: bad file: flag is "maybe", want true or false`,
		"f.yaml:4: bad file: list is 5, want a list",
		"f.yaml:5: bad file: text is a list, want a text",
		"f.yaml:7: bad file: in.width is 99, want a whole number from 1 to 9",
		"f.yaml:7: bad file: in.height is missing, want a whole number",
		`f.yaml:2: bad file: sizee is unknown, did you mean "size"?`,
	}
	if diff := cmp.Diff(want, strings.Split(p.Err().Error(), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !errors.Is(p.Err(), cause) {
		t.Error("the errors do not wrap their cause")
	}
}
