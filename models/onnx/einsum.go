package onnx

import (
	"slices"
	"strings"
)

// labelled is an operand of an Einsum: a label for each axis. An ellipsis is
// spelled out with capital Greek letters, the last axis being Ω.
type labelled struct {
	labels []rune
	extent map[rune]number
	value  *value
}

// ellipsis are the labels of broadcast axes, from the last one on.
var ellipsis = []rune("ΩΨΧΦΥΤΣΡΠΟΞΝΜΛΚΙ")

// einsum contracts its operands from the left. Labels of two operands that the
// result has are batch; those that it has not are reduced.
func einsum(c *call) error {
	for i, v := range c.in {
		if v == nil {
			return c.bad("input %d is missing", i)
		}
		if !v.ranked {
			return c.blind()
		}
	}
	operands, result, err := c.equation()
	if err != nil {
		return err
	}
	extents := map[rune]number{}
	for _, o := range operands {
		for label, e := range o.extent {
			if have, ok := extents[label]; !ok || have.is(1) || !have.known() && !e.is(1) {
				extents[label] = e
			} else if have.known() && e.known() && have.n != e.n && e.n != 1 {
				return c.bad("label %q is %d and %d", label, have.n, e.n)
			}
		}
	}
	shape := make([]number, len(result))
	for i, label := range result {
		e, ok := extents[label]
		if !ok {
			return c.bad("label %q is in the result, but in no operand", label)
		}
		shape[i] = e
	}
	c.set(0, shape...)
	return c.contract(operands, result)
}

// contract multiplies the operands one by one into the first.
func (c *call) contract(operands []labelled, result []rune) error {
	found := false
	acc := operands[0]
	for i, next := range operands[1:] {
		wanted := slices.Clone(result)
		for _, later := range operands[i+2:] {
			wanted = append(wanted, later.labels...)
		}
		p, out, ok := c.pair(acc, next, wanted)
		if ok {
			found = true
			if len(operands) > 2 {
				p.part = string(rune('0' + i%10))
			}
			if err := c.emit(p.oriented()); err != nil {
				return err
			}
		}
		acc = out
	}
	if !found {
		c.im.without["Einsum"]++
	}
	return nil
}

// pair multiplies two operands; false if that reduces nothing, or leaves no
// rows and no columns, and so is no matmul.
func (c *call) pair(a, b labelled, wanted []rune) (product, labelled, bool) {
	p := product{m: whole(1), n: whole(1), k: whole(1), batch: whole(1), x: a.value, w: b.value}
	out := labelled{extent: map[rune]number{}, value: &value{
		constant: a.value.constant && b.value.constant,
		trained:  a.value.trained || b.value.trained || a.value.constant || b.value.constant,
	}}
	reduced, sided := false, false
	for _, label := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(a.labels, b.labels)))) {
		left, inA := a.extent[label]
		right, inB := b.extent[label]
		inA, inB = inA && !left.is(1), inB && !right.is(1)
		e := left
		if !inA {
			e = right
		}
		keep := slices.Contains(wanted, label)
		switch {
		case inA && inB && keep:
			p.batch = c.im.product(p.batch, e)
		case inA && inB:
			p.k, reduced = c.im.product(p.k, e), true
		case inA && keep:
			p.m, sided = c.im.product(p.m, e), true
		case inB && keep:
			p.n, sided = c.im.product(p.n, e), true
		}
		if keep {
			if !inA && !inB {
				e = whole(1)
			}
			out.labels = append(out.labels, label)
			out.extent[label] = e
		}
	}
	return p, out, reduced && sided
}

// equation parses the equation against the ranks of the inputs.
func (c *call) equation() ([]labelled, []rune, error) {
	text := strings.ReplaceAll(c.text("equation", ""), " ", "")
	left, right, arrow := strings.Cut(text, "->")
	terms := strings.Split(left, ",")
	if len(terms) != len(c.in) {
		return nil, nil, c.bad("equation %q has %d operands, but there are %d inputs", text, len(terms), len(c.in))
	}
	var operands []labelled
	widest := 0
	for i, term := range terms {
		labels, dots, err := c.labels(term, len(c.in[i].shape))
		if err != nil {
			return nil, nil, err
		}
		widest = max(widest, dots)
		o := labelled{labels: labels, extent: map[rune]number{}, value: c.in[i]}
		for axis, label := range labels {
			if e, twice := o.extent[label]; !twice || e.is(1) {
				o.extent[label] = c.in[i].shape[axis]
			}
		}
		operands = append(operands, o)
	}
	if arrow {
		result, _, err := c.labels(right, strings.Count(right, "")-1-3*strings.Count(right, "...")+widest*strings.Count(right, "..."))
		return operands, result, err
	}
	return operands, implied(operands, widest), nil
}

// labels spells a term out for a tensor of that rank, and returns how many axes
// its ellipsis stands for.
func (c *call) labels(term string, rank int) ([]rune, int, error) {
	before, after, dots := strings.Cut(term, "...")
	for _, r := range before + after {
		if r < 'A' || r > 'z' || r > 'Z' && r < 'a' {
			return nil, 0, c.bad("term %q of the equation has %q, want letters", term, r)
		}
	}
	n := rank - len(before) - len(after)
	if n < 0 || n > len(ellipsis) || !dots && n != 0 {
		return nil, 0, c.bad("term %q of the equation does not fit a tensor of rank %d", term, rank)
	}
	labels := []rune(before)
	for i := n - 1; i >= 0; i-- {
		labels = append(labels, ellipsis[i])
	}
	return append(labels, []rune(after)...), n, nil
}

// implied returns the result of an equation without arrow: the broadcast axes,
// then the labels that occur once, in order.
func implied(operands []labelled, widest int) []rune {
	count := map[rune]int{}
	for _, o := range operands {
		for _, label := range o.labels {
			count[label]++
		}
	}
	var result []rune
	for i := widest - 1; i >= 0; i-- {
		result = append(result, ellipsis[i])
	}
	var once []rune
	for label, n := range count {
		if n == 1 && !slices.Contains(ellipsis, label) {
			once = append(once, label)
		}
	}
	slices.Sort(once)
	return append(result, once...)
}
