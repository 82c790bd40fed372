package rules

import (
	"slices"
	"strings"

	"github.com/npu-tune/npu-tune/internal/yamltree"
	"github.com/npu-tune/npu-tune/space"
)

// loops reads dimensions, outermost first: [m, n, k] or mnk.
func loops(f *yamltree.Fields, key string) ([]space.Dim, bool) {
	n := f.Value(key)
	if n == nil {
		return nil, false
	}
	var names []string
	if n.Kind == yamltree.List {
		for _, item := range n.Items {
			names = append(names, item.Text)
		}
	} else {
		names = strings.Split(strings.ReplaceAll(n.Text, " ", ""), "")
	}
	var list []space.Dim
	for _, name := range names {
		d := space.Dim(slices.Index([]string{"m", "n", "k"}, name))
		if d >= space.NumDims || slices.Contains(list, d) {
			f.Badf(key, "has %q, want each of m, n and k at most once, outermost first", name)
			return nil, false
		}
		list = append(list, d)
	}
	return list, true
}

// beginning lists the orders that begin with some loops.
func beginning(loops []space.Dim) []space.Order {
	var list []space.Order
	for _, o := range space.Orders {
		if slices.Equal(o[:len(loops)], loops) {
			list = append(list, o)
		}
	}
	return list
}

func show(loops []space.Dim) string {
	var b strings.Builder
	for _, d := range loops {
		b.WriteString(d.String())
	}
	return b.String()
}

// order reads the loops of an operation; inner ones may be left open.
func (q *requirements) order(ops []space.Op) {
	list, ok := loops(q.f, "order")
	if !ok {
		return
	}
	q.require("order", show(list), func(s *sum) {
		for _, op := range ops {
			s.orders(op, beginning(list))
		}
	})
}

// sharedLoops reads the loops that both gradients walk.
func (q *requirements) sharedLoops(has []space.Op) {
	list, ok := loops(q.f, "shared")
	if !ok {
		return
	}
	if len(list) > 0 && slices.Contains(has, space.Fwd) {
		q.f.Badf("shared", "is %s, want none: only a backward pass interleaves", show(list))
		return
	}
	q.require("shared", "["+show(list)+"]", func(s *sum) {
		s.shared(1 << len(list))
		for _, op := range space.Backward.Ops() {
			s.orders(op, beginning(list))
		}
	})
}
