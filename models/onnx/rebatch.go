package onnx

import "slices"

// rebatch returns the shape that a Reshape is meant to make with another batch,
// if its target is fixed in the file though its input has changed. What an
// input dimension has grown by goes to the output dimension in which the batch
// then lies, in row-major order.
func (c *call) rebatch(old reshaped, x *value, target []number) ([]number, bool) {
	now, ok := knowns(x.shape)
	same, ok2 := knowns(target)
	if !ok || !ok2 || !x.ranked || !slices.Equal(same, old.target) || slices.Equal(now, old.from) || len(now) != len(old.from) {
		return nil, false
	}
	to := wholes(old.to)
	for i := range now {
		if now[i] == old.from[i] {
			continue
		}
		at, inside := old.place(i, max(int64(x.shape[i].f), 1), c.im.wasBatch)
		if at < 0 || old.from[i] == 0 || saturate(to[at].n, now[i])%old.from[i] != 0 {
			return nil, false
		}
		to[at] = number{n: saturate(to[at].n, now[i]) / old.from[i], f: float64(inside)}
	}
	if n, m := c.im.product(x.shape...), c.im.product(to...); n.n != m.n {
		return nil, false
	}
	c.im.note("Shapes that the file fixes for a batch of %d were scaled to %d.", c.im.wasBatch, c.im.batch)
	return to, true
}

// place returns the output dimension in which the batch lies that is behind
// inside elements of input dimension i, and how many elements of the output
// dimension are before it. A batch of one may lie between two dimensions: it is
// then a dimension of one if there is one, or belongs to the dimension before
// if what follows stays together, or else begins the dimension behind.
func (r reshaped) place(i int, inside, batch int64) (at int, before int64) {
	position := saturate(extentOf(r.from[:i]), inside)
	start := int64(1)
	for k, e := range r.to {
		end := saturate(start, e)
		switch {
		case start == position && e == 1:
			return k, 1
		case start == position && end > start:
			if k > 0 && batch == 1 && r.together(i, inside, e) {
				return k - 1, r.to[k-1]
			}
			return k, 1
		case start < position && position < end && position%start == 0:
			return k, position / start
		}
		start = end
	}
	if last := len(r.to) - 1; last >= 0 && start == position {
		return last, r.to[last]
	}
	return -1, 0
}

// together reports whether what follows the batch in the input, up to the end
// of some dimension, is an output dimension of e elements.
func (r reshaped) together(i int, inside, e int64) bool {
	rest := r.from[i] / inside
	for k := i + 1; rest < e && k < len(r.from); k++ {
		rest = saturate(rest, r.from[k])
	}
	return rest == e
}

func extentOf(shape []int64) int64 {
	n := int64(1)
	for _, e := range shape {
		n = saturate(n, e)
	}
	return n
}
