package onnx

import (
	"math"
	"slices"
	"strings"
)

// maxCount is the most elements that a tensor may have.
const maxCount = int64(1) << 50

// number is a dimension, or an element of a constant. Where why is not 0 it is
// not known, and why says what it depends on; n is 1 if it is the value of a
// name, and so equals other numbers with the same cause and n, and else 0.
type number struct {
	n int64
	// f is the value of a floating-point constant, n then being unused. Of a
	// dimension that holds a replaced batch it is how many elements of the
	// dimension lie before the batch, counted from 1; of others it is 0.
	f   float64
	why cause
}

func whole(n int64) number   { return number{n: n} }
func float(f float64) number { return number{f: f} }
func unknown(w cause) number { return number{why: w} }

func named(w cause) number { return number{n: 1, why: w} }

// equals reports whether two numbers are known to be equal.
func (a number) equals(b number) bool {
	return a.n == b.n && a.why == b.why && (a.known() || a.n == 1)
}

func (a number) known() bool { return a.why == 0 }

func (a number) is(n int64) bool { return a.why == 0 && a.n == n }

// wholes returns the numbers of integers.
func wholes(list []int64) []number {
	numbers := make([]number, len(list))
	for i, n := range list {
		numbers[i] = whole(n)
	}
	return numbers
}

// saturate multiplies extents; beyond maxCount it returns maxCount+1.
func saturate(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	if a > maxCount/b {
		return maxCount + 1
	}
	return a * b
}

// cause names what keeps a number from being known; 0 is nothing.
type cause int32

// blame is what a cause stands for.
type blame struct {
	dims  []string // symbolic dimensions that Options.Dims could set
	nodes []string // nodes at which inference stops
}

// causes numbers all distinct blames.
type causes struct {
	list  []blame
	index map[string]cause
}

const (
	maxBlamed = 6       // names per blame; more help nobody
	maxCauses = 1 << 12 // distinct blames; later ones become the last
)

func (cs *causes) of(b blame) cause {
	for _, names := range []*[]string{&b.dims, &b.nodes} {
		slices.Sort(*names)
		*names = slices.Compact(*names)
		*names = (*names)[:min(len(*names), maxBlamed)]
	}
	key := strings.Join(b.dims, "\x00") + "\x01" + strings.Join(b.nodes, "\x00")
	if w, ok := cs.index[key]; ok {
		return w
	}
	if len(cs.list) == maxCauses {
		return maxCauses
	}
	if cs.index == nil {
		cs.index = map[string]cause{}
	}
	cs.list = append(cs.list, b)
	cs.index[key] = cause(len(cs.list))
	return cause(len(cs.list))
}

func (cs *causes) dim(name string) cause { return cs.of(blame{dims: []string{name}}) }
func (cs *causes) node(what string) cause {
	return cs.of(blame{nodes: []string{what}})
}

// blame returns what w stands for.
func (cs *causes) blame(w cause) blame {
	if w == 0 {
		return blame{}
	}
	return cs.list[w-1]
}

// join returns the cause that holds wherever one of two does.
func (cs *causes) join(a, b cause) cause {
	switch {
	case a == b || b == 0:
		return a
	case a == 0:
		return b
	}
	x, y := cs.blame(a), cs.blame(b)
	return cs.of(blame{slices.Concat(x.dims, y.dims), slices.Concat(x.nodes, y.nodes)})
}

// joined returns the cause of everything that is not known in the numbers.
func (cs *causes) joined(numbers ...number) cause {
	var w cause
	for _, a := range numbers {
		w = cs.join(w, a.why)
	}
	return w
}

// combine returns f of two numbers, unknown where one of them is.
func (cs *causes) combine(a, b number, f func(x, y int64) int64) number {
	if a.known() && b.known() {
		return whole(f(a.n, b.n))
	}
	return unknown(cs.join(a.why, b.why))
}

func (cs *causes) add(a, b number) number {
	switch {
	case a.is(0):
		return b
	case b.is(0):
		return a
	}
	return cs.combine(a, b, func(x, y int64) int64 { return x + y })
}

// product multiplies extents; known results beyond maxCount become maxCount+1.
// A zero makes it zero, whatever the others are.
func (cs *causes) product(extents ...number) number {
	if slices.ContainsFunc(extents, func(e number) bool { return e.is(0) }) {
		return whole(0)
	}
	p := whole(1)
	for _, e := range extents {
		before, batch := p, e.f
		switch {
		case p.is(1):
			p = e
		case !e.is(1):
			p = cs.combine(p, e, saturate)
		}
		switch {
		case before.f != 0:
			p.f = before.f
		case batch != 0 && before.known():
			p.f = float64(before.n) * batch
		}
	}
	p.n = min(p.n, maxCount+1)
	return p
}

// toInt64 converts as a cast does, towards zero, within range.
func toInt64(f float64) int64 {
	switch {
	case f != f:
		return 0
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}
