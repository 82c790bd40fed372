package timeloop

import (
	"regexp"
	"strconv"

	"github.com/npu-tune/npu-tune/internal/yamltree"
)

// level is a component, from the outermost to the innermost.
type level struct {
	name, class string
	line        int
	attributes  *yamltree.Node // a mapping, or nil
	instances   int64          // in all
	meshX       int64          // of the instances, side by side in a row; 0: not said
}

// array is the range of instances in a name such as PE[0..15].
var array = regexp.MustCompile(`^(.*)\[(\d+)\.\.(\d+)\]$`)

// named splits a name and how many there are.
func named(text string) (name string, count int64) {
	m := array.FindStringSubmatch(text)
	if m == nil {
		return text, 1
	}
	first, err1 := strconv.ParseInt(m[2], 10, 32)
	last, err2 := strconv.ParseInt(m[3], 10, 32)
	if err1 != nil || err2 != nil || last < first {
		return text, 1
	}
	return m[1], last - first + 1
}

// walker flattens an architecture into its levels.
type walker struct {
	levels   []level
	visits   int
	problems *yamltree.Problems
}

// maxVisits bounds the walk: aliases can make a small file a large tree.
const maxVisits = 10_000

// subtree walks the notation of versions 0.2 and 0.3.
func (w *walker) subtree(list *yamltree.Node, above, meshX int64) {
	if list.Kind != yamltree.List {
		w.problems.Addf(list.Line, "subtree is %s, want a list", list.Describe())
		return
	}
	for _, n := range list.Items {
		if w.visits++; w.visits > maxVisits {
			if w.problems.Count() == 0 {
				w.problems.Addf(list.Line, "the architecture has more than %d nodes", maxVisits)
			}
			return
		}
		_, count := named(textOf(n, "name"))
		instances, x := product(above, count), meshX
		if count > 1 {
			x = 0
		}
		if local := n.Get("local"); local != nil {
			w.visits += len(local.Items)
			for _, c := range local.Items[:min(len(local.Items), maxVisits)] {
				w.add(c, instances, x)
			}
		}
		if sub := n.Get("subtree"); sub != nil {
			w.subtree(sub, instances, x)
		}
	}
}

// nodes walks the notation of version 0.4: each node is inside those before it.
func (w *walker) nodes(list *yamltree.Node) {
	if list.Kind != yamltree.List {
		w.problems.Addf(list.Line, "nodes is %s, want a list", list.Describe())
		return
	}
	instances, meshX := int64(1), int64(0)
	for _, n := range list.Items {
		count := int64(1)
		if s := n.Get("spatial"); s != nil {
			x, y := whole(s.Get("meshX"), 1), whole(s.Get("meshY"), 1)
			count = product(x, y)
			if count > 1 {
				meshX = x
			}
		}
		_, inName := named(textOf(n, "name"))
		count = product(count, inName)
		switch {
		case n.Tag == "!Parallel" || n.Tag == "!Pipelined" || n.Tag == "!Hierarchical":
			w.problems.Addf(n.Line, "the architecture branches (%s), want one level inside the other", n.Tag)
		case n.Get("class") == nil:
			instances = product(instances, count)
		default:
			w.add(n, product(instances, count), meshX)
		}
	}
}

func (w *walker) add(n *yamltree.Node, above, meshX int64) {
	name, count := named(textOf(n, "name"))
	l := level{name: name, class: textOf(n, "class"), line: n.Line, attributes: n.Get("attributes"), instances: product(above, count), meshX: meshX}
	if x := whole(l.attributes.Get("meshX"), 0); x > 0 {
		l.meshX = x
	}
	w.levels = append(w.levels, l)
}

// most bounds counts of instances: beyond it, they are more than any array.
const most = int64(1) << 40

func product(a, b int64) int64 {
	if a > most/max(b, 1) {
		return most
	}
	return a * b
}

// whole returns a whole number of 1 to 2³¹, or otherwise.
func whole(n *yamltree.Node, otherwise int64) int64 {
	if n == nil {
		return otherwise
	}
	v, err := strconv.ParseInt(n.Text, 10, 64)
	if err != nil || v < 1 || v > 1<<31 {
		return otherwise
	}
	return v
}

func textOf(n *yamltree.Node, key string) string {
	if v := n.Get(key); v != nil {
		return v.Text
	}
	return ""
}
