package igo

import "github.com/npu-tune/npu-tune/space"

// Rule chooses an order by a layer's shape.
type Rule func(m, n, k int64) Order

// shape returns the extents of what one core runs at a time.
func (l *Layer) shape(p Partition) (m, n, k int64) {
	size := [space.NumDims]int64{l.Problem.Layer.M, l.Problem.Layer.N, l.Problem.Layer.K}
	if p != Whole {
		if parts, ok := p.split(l.Problem); ok && l.Problem.HW.Cores > 1 {
			size[p.dim()] = space.CeilDiv(size[p.dim()], int64(parts[p.dim()]))
		} else if cut := p.cut(l.Problem); len(cut) > 0 && l.Problem.HW.Cores <= 1 {
			size[p.dim()] = cut[0].problem.Dim(p.dim())
		}
	}
	return size[0], size[1], size[2]
}

// grid returns the figures that go with a baseline: the same tiles with the
// cached one, else the best.
func (l *Layer) grid(b Baseline) *Grid {
	if b == Cached {
		return &l.Cached
	}
	return &l.Planned
}

// unparted returns the partition before the third technique: none on one core,
// the batch over several; another where a layer has no two rows.
func (l *Layer) unparted(b Baseline) Partition {
	for p := range NumPartitions {
		if l.grid(b)[p][Interleaving].Possible() {
			return p
		}
	}
	return Whole
}

// or returns f, or the baseline where the techniques cannot be used: the pass
// is a single operation, or nothing of it can be split.
func (l *Layer) or(b Baseline, f Figures) Figures {
	if l.Problem.Pass != space.Backward || !f.Possible() {
		return l.Baseline[b]
	}
	return f
}

// interleaved is the first technique.
func (l *Layer) interleaved(b Baseline) Figures {
	return l.or(b, l.grid(b)[l.unparted(b)][Interleaving])
}

// ordered is the second technique, in the order of a rule.
func (l *Layer) ordered(b Baseline, r Rule) Figures { return l.or(b, l.in(b, l.unparted(b), r)) }

// in returns a partition in the order of a rule. Where that order does not fit
// the SPM, it is interleaving.
func (l *Layer) in(b Baseline, p Partition, r Rule) Figures {
	g := l.grid(b)
	if f := g[p][r(l.shape(p))]; f.Possible() {
		return f
	}
	return g[p][Interleaving]
}

// bestOrder is the second technique in the best of the three orders.
func (l *Layer) bestOrder(b Baseline) Figures { return l.or(b, l.anyOrder(b, l.unparted(b))) }

func (l *Layer) anyOrder(b Baseline, p Partition) Figures {
	f := impossible()
	for _, g := range l.grid(b)[p] {
		f = f.better(g)
	}
	return f
}

// partitioned is the third technique: the best partition, in the order of a
// rule.
func (l *Layer) partitioned(b Baseline, r Rule) Figures {
	f := impossible()
	for p := range NumPartitions {
		f = f.better(l.in(b, p, r))
	}
	return l.or(b, f)
}

// bestOfAll is the third technique with the best partition and order.
func (l *Layer) bestOfAll(b Baseline) Figures {
	f := impossible()
	for p := range NumPartitions {
		f = f.better(l.anyOrder(b, p))
	}
	return l.or(b, f)
}
