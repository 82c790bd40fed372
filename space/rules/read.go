package rules

import (
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/npu-tune/npu-tune/internal/nearest"
	"github.com/npu-tune/npu-tune/internal/yamltree"
	"github.com/npu-tune/npu-tune/space"
)

// limits bound what a file may hold.
var limits = yamltree.Limits{Bytes: 1 << 20, Depth: 20}

// Load reads a file of rules; see Parse.
func Load(path string) (*Set, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(data, path)
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(limits.Bytes)+1))
}

// Parse reads rules (docs/constraints.md) from YAML or JSON. Errors name the
// file, the line and the field, wrap ErrRules, and report everything at once.
func Parse(data []byte, name string) (*Set, error) {
	p := yamltree.NewProblems(name, ErrRules)
	s := &Set{file: name, text: string(data)}
	root, err := yamltree.Parse(data, limits)
	if err != nil {
		p.Syntax(err)
		return nil, p.Err()
	}
	f := p.Fields(root, "")
	for i, n := range f.Items("rules") {
		s.rules = append(s.rules, parseRule(p, p.Fields(n, fmt.Sprintf("rules[%d]", i))))
	}
	f.Unknown()
	if p.Count() == 0 && len(s.rules) == 0 {
		p.Addf(0, "the file has no rules, want a list named rules")
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

func parseRule(p *yamltree.Problems, f *yamltree.Fields) rule {
	before := p.Count()
	r := rule{field: f.Path, line: f.Line, passes: passesOf(f), layers: patterns(f, "layers")}
	ops := operations(f, r.passes)
	q := requirements{problems: p, f: f}
	q.orders("orders", ops)
	q.dataflows("dataflows", ops)
	q.tiles("tile", ops)
	q.holds("hold", ops)
	q.partialSums(ops)
	q.interleaving()
	q.cores("cores")
	q.reserved()
	f.Unknown()
	if len(q.list) == 0 && p.Count() == before && f.Line > 0 {
		p.Addf(f.Line, "%s requires nothing, want at least one of orders, dataflows, tile, hold and the like", f.Path)
	}
	r.requires = q.list
	return r
}

// patterns reads one pattern of layers' names, or a list of them.
func patterns(f *yamltree.Fields, key string) []string {
	var list []string
	for _, text := range texts(f, key) {
		if _, err := path.Match(text, ""); err != nil {
			f.Badf(key, "has %q, which is no pattern: a [ is not closed", text)
			continue
		}
		list = append(list, text)
	}
	return list
}

// texts reads a text or a list of them. Numbers are texts too.
func texts(f *yamltree.Fields, key string) []string {
	n := f.Value(key)
	if n == nil {
		return nil
	}
	items := []*yamltree.Node{n}
	if n.Kind == yamltree.List {
		items = n.Items
		if len(items) == 0 {
			f.Badf(key, "is empty, want at least one")
		}
	}
	var list []string
	for _, item := range items {
		if item.Kind != yamltree.Text && item.Kind != yamltree.Int {
			f.Badf(key, "has %s, want a text", item.Describe())
			continue
		}
		list = append(list, item.Text)
	}
	return list
}

// choices reads names of a kind and returns their indexes, without those that
// stand twice.
func choices(f *yamltree.Fields, key string, known []string) []int {
	var list []int
	for _, text := range texts(f, key) {
		i := slices.Index(known, text)
		if i < 0 {
			f.Badf(key, "has %q, want %s%s", text, strings.Join(known, ", "), nearest.Hint(text, known))
			continue
		}
		if !slices.Contains(list, i) {
			list = append(list, i)
		}
	}
	return list
}

func passesOf(f *yamltree.Fields) []space.Pass {
	names := namesOf(int(space.NumPasses), func(i int) string { return space.Pass(i).String() })
	var list []space.Pass
	for _, i := range choices(f, "passes", names) {
		list = append(list, space.Pass(i))
	}
	if len(list) == 0 {
		return []space.Pass{space.Forward, space.DWOnly, space.Backward}
	}
	return list
}

// operations reads to which operations a rule applies: all of its passes, or
// those that it names.
func operations(f *yamltree.Fields, passes []space.Pass) []space.Op {
	names := namesOf(int(space.NumOps), func(i int) string { return space.Op(i).String() })
	has := func(op space.Op) bool {
		return slices.ContainsFunc(passes, func(p space.Pass) bool { return p.Has(op) })
	}
	var list []space.Op
	for _, i := range choices(f, "operations", names) {
		if op := space.Op(i); !has(op) {
			f.Badf("operations", "has %s, which none of the rule's passes has", op)
		} else {
			list = append(list, op)
		}
	}
	if len(list) > 0 {
		return list
	}
	for op := range space.NumOps {
		if has(op) {
			list = append(list, op)
		}
	}
	return list
}

func namesOf(n int, of func(int) string) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = of(i)
	}
	return names
}

// parseBytes reads a size such as 512KiB; units are powers of 1024, or of
// 1000 where they say kB, MB or GB.
func parseBytes(text string) (int64, bool) {
	units := []struct {
		name  string
		bytes int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"kB", 1000}, {"MB", 1000 * 1000}, {"GB", 1000 * 1000 * 1000}, {"B", 1}}
	scale := int64(1)
	for _, u := range units {
		if number, ok := strings.CutSuffix(text, u.name); ok {
			text, scale = strings.TrimSpace(number), u.bytes
			break
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	bytes := v * float64(scale)
	if err != nil || !(bytes >= 1) || bytes > maxReserved || bytes != float64(int64(bytes)) {
		return 0, false
	}
	return int64(bytes), true
}
