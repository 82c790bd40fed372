package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/npu-tune/npu-tune/internal/yamltree"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
	"github.com/npu-tune/npu-tune/space/handtuned/pytorchsim"
)

// Schedules are a file's hand-tuned ones.
type Schedules struct {
	file    string
	entries []entry
	tiles   []pytorchsim.Tile // of a file of PyTorchSim's
}

// entry is a schedule, whole or in part, of the passes that it names.
type entry struct {
	rule
	shape [space.NumDims]int64 // zeros: any
	whole *space.Schedule      // nil if something is left open
}

// Written is what a file says of one pass of a layer.
type Written struct {
	Field string          // where it stands
	Whole *space.Schedule // nil if something is left open
	// Requires is what a schedule must be, for a search to fill in the rest.
	Requires []Requirement
}

// LoadSchedules reads a file of hand-tuned schedules; see ParseSchedules.
func LoadSchedules(path string) (*Schedules, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return ParseSchedules(data, path)
}

var gemmKey = regexp.MustCompile(`^[0-9]+_[0-9]+_[0-9]+$`)

// ParseSchedules reads hand-tuned schedules (docs/schedules.md) from YAML or
// JSON: a list named schedules, or one by itself; or a tile file of
// PyTorchSim's. Errors name the file, the line and the field; they wrap
// ErrRules, or pytorchsim.ErrTiles.
func ParseSchedules(data []byte, name string) (*Schedules, error) {
	p := yamltree.NewProblems(name, ErrRules)
	s := &Schedules{file: name}
	root, err := yamltree.Parse(data, limits)
	if err != nil {
		p.Syntax(err)
		return nil, p.Err()
	}
	if keys := root.Keys(); len(keys) > 0 && !slices.ContainsFunc(keys, func(k string) bool { return !gemmKey.MatchString(k) }) {
		s.tiles, err = pytorchsim.Parse(data, name)
		return s, err
	}
	f := p.Fields(root, "")
	if f.Has("schedules") {
		for i, n := range f.Items("schedules") {
			s.entries = append(s.entries, parseEntry(p, n, fmt.Sprintf("schedules[%d]", i)))
		}
		f.Unknown()
	} else if root.Kind == yamltree.Map {
		s.entries = append(s.entries, parseEntry(p, root, ""))
	}
	if p.Count() == 0 && len(s.entries) == 0 {
		p.Addf(0, "the file has no schedules, want a list named schedules")
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

func parseEntry(p *yamltree.Problems, n *yamltree.Node, path string) entry {
	before := p.Count()
	f := p.Fields(n, path)
	e := entry{rule: rule{field: path, line: f.Line, layers: patterns(f, "layer")}, shape: shapeOf(f)}
	q := requirements{problems: p, f: f}
	has := e.operations(&q)
	e.passes = passWith(f, has)
	q.sharedLoops(has)
	if burst := f.Int("burst", 1, models.MaxDim, 0); burst > 0 {
		q.require("burst", strconv.FormatInt(burst, 10), func(s *sum) {
			s.minBurst(burst)
			s.maxBurst(burst)
		})
	}
	f.Unknown()
	e.requires = q.list
	if p.Count() == before && len(q.list) == 0 {
		p.Addf(f.Line, "%s says nothing, want fields of a schedule such as dx: {tile: {m: 64}}", orSchedule(path))
	}
	e.whole = wholeOf(n)
	return e
}

func orSchedule(path string) string {
	if path == "" {
		return "the schedule"
	}
	return path
}

// shapeOf reads MxNxK.
func shapeOf(f *yamltree.Fields) (shape [space.NumDims]int64) {
	text := f.Text("shape")
	if text == "" {
		return shape
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == 'x' || r == '×' })
	for i, part := range parts {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
		if err != nil || n < 1 || len(parts) != len(shape) {
			f.Badf("shape", "is %q, want the layer's m, n and k, such as 3136x64x576", text)
			return shape
		}
		shape[i] = n
	}
	return shape
}

// operations reads what is said of each operation, and returns which are.
func (*entry) operations(q *requirements) []space.Op {
	var has []space.Op
	for op := range space.NumOps {
		n := q.f.Value(op.String())
		if n == nil {
			continue
		}
		has = append(has, op)
		o := requirements{problems: q.problems, f: q.f.Within(op.String())}
		only := []space.Op{op}
		o.order(only)
		o.dataflows("dataflow", only)
		o.tiles("tile", only)
		o.holds("hold", only)
		o.cores("cores")
		o.f.Unknown()
		q.list = append(q.list, o.list...)
	}
	return has
}

// passWith reads the pass, or finds those that have all of some operations.
func passWith(f *yamltree.Fields, has []space.Op) []space.Pass {
	names := namesOf(int(space.NumPasses), func(i int) string { return space.Pass(i).String() })
	var list []space.Pass
	for _, i := range choices(f, "pass", names) {
		list = append(list, space.Pass(i))
	}
	if len(list) == 0 {
		list = []space.Pass{space.Forward, space.DWOnly, space.Backward}
		list = slices.DeleteFunc(list, func(p space.Pass) bool {
			interleaves := f.Has("burst") || f.Has("shared") && len(f.Value("shared").Items)+len(f.Value("shared").Text) > 0
			return interleaves && p != space.Backward || slices.ContainsFunc(has, func(op space.Op) bool { return !p.Has(op) })
		})
		if len(list) == 0 {
			f.Badf("pass", "is missing, and no pass has all of %v", has)
		}
		return list
	}
	for _, op := range has {
		if !slices.ContainsFunc(list, func(p space.Pass) bool { return p.Has(op) }) {
			f.Badf(op.String(), "does not belong to the %s pass", list[0])
		}
	}
	return list
}

// For returns what the file says of a problem, the first entry that names it;
// false if none does. Layers are the names that the problem's layer goes by.
func (s *Schedules) For(layers []string, p *space.Problem) (Written, bool) {
	if s.tiles != nil {
		return s.tilesFor(p)
	}
	for i := range s.entries {
		e := &s.entries[i]
		if e.isOf(layers, p) {
			return Written{Field: e.field, Whole: e.whole, Requires: e.requires}, true
		}
	}
	return Written{}, false
}

func (e *entry) isOf(layers []string, p *space.Problem) bool {
	if e.shape != [space.NumDims]int64{} && e.shape != [space.NumDims]int64{p.Layer.M, p.Layer.N, p.Layer.K} {
		return false
	}
	return slices.Contains(e.passes, p.Pass) && (e.whole == nil || e.whole.Pass == p.Pass) && slices.ContainsFunc(layers, e.names)
}

// tilesFor looks a problem up in PyTorchSim's tiles.
func (s *Schedules) tilesFor(p *space.Problem) (Written, bool) {
	c, found := pytorchsim.Restrict(s.tiles, p)
	if found == 0 {
		return Written{}, false
	}
	var w Written
	for _, op := range p.Pass.Ops() {
		for d := range space.NumDims {
			extent := c.Ops[op].TileMax[d]
			if extent == 0 {
				continue
			}
			w.Requires = append(w.Requires, Requirement{
				Field: fmt.Sprintf("%s.tile.%s", op, d), Value: strconv.FormatInt(extent, 10),
				add: func(s *sum) { s.exactly(op, d, extent) },
			})
		}
	}
	return w, true
}

// Unused lists the entries of which none of some problems is.
func (s *Schedules) Unused(used func(field string) bool) []string {
	var list []string
	for i := range s.entries {
		if e := &s.entries[i]; !used(e.field) {
			list = append(list, fmt.Sprintf("%s:%d: %s", s.file, e.line, orSchedule(e.field)))
		}
	}
	return list
}

// File returns the name of the file, for messages.
func (s *Schedules) File() string { return s.file }
