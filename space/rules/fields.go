package rules

import (
	"slices"
	"strconv"
	"strings"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/internal/nearest"
	"github.com/npu-tune/npu-tune/internal/yamltree"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// requirements reads the fields of a rule that require something.
type requirements struct {
	problems *yamltree.Problems
	f        *yamltree.Fields
	list     []Requirement
}

func (q *requirements) require(key, value string, add func(*sum)) {
	q.requireAt(q.f, key, value, add)
}

func (q *requirements) requireAt(f *yamltree.Fields, key, value string, add func(*sum)) {
	q.list = append(q.list, Requirement{Field: f.Name(key), Line: lineOf(f, key), Value: value, add: add})
}

func lineOf(f *yamltree.Fields, key string) int {
	if n := f.Value(key); n != nil {
		return n.Line
	}
	return f.Line
}

func (q *requirements) orders(key string, ops []space.Op) {
	names := namesOf(len(space.Orders), func(i int) string { return strings.ReplaceAll(space.Orders[i].String(), " ", "") })
	var want []space.Order
	for _, i := range choices(q.f, key, names) {
		want = append(want, space.Orders[i])
	}
	q.each(key, ops, len(want) > 0, func(s *sum, op space.Op) { s.orders(op, want) })
}

// each requires the same of several operations, if anything.
func (q *requirements) each(key string, ops []space.Op, wanted bool, add func(*sum, space.Op)) {
	if !wanted {
		return
	}
	q.require(key, strings.Join(texts(q.f, key), ", "), func(s *sum) {
		for _, op := range ops {
			add(s, op)
		}
	})
}

func (q *requirements) dataflows(key string, ops []space.Op) {
	names := namesOf(int(hardware.NumDataflows), func(i int) string { return hardware.Dataflow(i).String() })
	var want []hardware.Dataflow
	for _, i := range choices(q.f, key, names) {
		want = append(want, hardware.Dataflow(i))
	}
	q.each(key, ops, len(want) > 0, func(s *sum, op space.Op) { s.dataflows(op, want) })
}

// tiles reads the extents of each dimension: a number, exactly that; or a
// mapping with multiple and max.
func (q *requirements) tiles(key string, ops []space.Op) {
	n := q.f.Value(key)
	if n == nil {
		return
	}
	t := q.f.Within(key)
	for d := range space.NumDims {
		v := t.Value(d.String())
		if v == nil {
			continue
		}
		if v.Kind != yamltree.Map {
			if extent := t.Int(d.String(), 1, models.MaxDim, 0); extent > 0 {
				q.extent(t, d.String(), ops, extent, func(s *sum, op space.Op) { s.exactly(op, d, extent) })
			}
			continue
		}
		r := t.Within(d.String())
		if m := r.Int("multiple", 1, models.MaxDim, 0); m > 0 {
			q.extent(r, "multiple", ops, m, func(s *sum, op space.Op) { s.multiple(op, d, m) })
		}
		if m := r.Int("max", 1, models.MaxDim, 0); m > 0 {
			q.extent(r, "max", ops, m, func(s *sum, op space.Op) { s.most(op, d, m) })
		}
		r.Unknown()
	}
	t.Unknown()
}

func (q *requirements) extent(f *yamltree.Fields, key string, ops []space.Op, value int64, add func(*sum, space.Op)) {
	q.requireAt(f, key, strconv.FormatInt(value, 10), func(s *sum) {
		for _, op := range ops {
			add(s, op)
		}
	})
}

// holds reads the allowed hold levels of each tensor.
func (q *requirements) holds(key string, ops []space.Op) {
	if q.f.Value(key) == nil {
		return
	}
	h := q.f.Within(key)
	names := namesOf(4, strconv.Itoa)
	for t := range space.NumTensors {
		levels := choices(h, t.String(), names)
		if len(levels) == 0 {
			continue
		}
		var mask uint8
		for _, l := range levels {
			mask |= 1 << l
		}
		touching := slices.DeleteFunc(slices.Clone(ops), func(op space.Op) bool { return op.Tensor(t.Lacks()) != t })
		if len(touching) == 0 {
			h.Badf(t.String(), "is of a tensor that none of the rule's operations touches")
			continue
		}
		q.requireAt(h, t.String(), strings.Join(texts(h, t.String()), ", "), func(s *sum) {
			for _, op := range touching {
				s.hold(op, t.Lacks(), mask)
			}
		})
	}
	h.Unknown()
}

// partialSums reads whether partial sums may go to DRAM; "no" is the only
// requirement.
func (q *requirements) partialSums(ops []space.Op) {
	const key = "partial_sums_in_dram"
	if n := q.f.Value(key); n == nil || q.f.Bool(key) || n.Kind != yamltree.Bool {
		return
	}
	q.require(key, "false", func(s *sum) {
		for _, op := range ops {
			s.noPartialSums(op)
		}
	})
}

// Granularities name how often the gradients alternate, by shared loops.
var granularities = []string{"sequential", "coarse", "medium", "fine"}

// interleaving reads how the gradients may alternate, how long bursts may be,
// and whether dY may be one region of both.
func (q *requirements) interleaving() {
	var mask uint8
	for _, i := range choices(q.f, "interleaving", granularities) {
		mask |= 1 << i
	}
	if mask != 0 {
		q.require("interleaving", strings.Join(texts(q.f, "interleaving"), ", "), func(s *sum) { s.shared(mask) })
	}
	if most := q.f.Int("max_burst", 1, models.MaxDim, 0); most > 0 {
		q.require("max_burst", strconv.FormatInt(most, 10), func(s *sum) { s.maxBurst(most) })
	}
	if q.f.Bool("separate_dy") {
		q.require("separate_dy", "true", (*sum).separateDY)
	}
}

// cores reads a split over the cores, or a list of those that are allowed.
func (q *requirements) cores(key string) {
	n := q.f.Value(key)
	if n == nil {
		return
	}
	items := []*yamltree.Node{n}
	if n.Kind == yamltree.List {
		items = n.Items
	}
	var want [][space.NumDims]uint16
	var shown []string
	for _, item := range items {
		c := q.problems.Fields(item, q.f.Name(key))
		var parts [space.NumDims]uint16
		for d := range space.NumDims {
			parts[d] = uint16(c.Int(d.String(), 1, 1<<16-1, 1))
		}
		c.Unknown()
		want = append(want, parts)
		shown = append(shown, "m "+strconv.Itoa(int(parts[space.M]))+" n "+strconv.Itoa(int(parts[space.N]))+" k "+strconv.Itoa(int(parts[space.K])))
	}
	if len(want) == 0 {
		q.f.Badf(key, "is empty, want at least one split, such as {m: 4}")
		return
	}
	q.require(key, strings.Join(shown, ", "), func(s *sum) { s.partitions(want) })
}

// maxReserved is more than any SPM has.
const maxReserved = 1 << 50

// reserved reads how much of the SPM is something else's; several rules add
// up.
func (q *requirements) reserved() {
	const key = "reserved_spm"
	n := q.f.Value(key)
	if n == nil {
		return
	}
	bytes, ok := parseBytes(n.Text)
	if !ok || n.Kind == yamltree.List || n.Kind == yamltree.Map {
		q.f.Badf(key, "is %s, want bytes such as 512KiB, 1MiB or 65536%s", n.Describe(), nearest.Hint(n.Text, []string{"512KiB", "1MiB"}))
		return
	}
	q.require(key, n.Text, func(s *sum) { s.c.ReservedSPMBytes = min(s.c.ReservedSPMBytes+bytes, maxReserved) })
}
