package space

// Extents returns the operation's tile extents in elements, clipped to the
// core's share of each dimension: a larger extent means the share.
func (p *Problem) Extents(o *OpSchedule) [NumDims]int64 {
	var t [NumDims]int64
	for d := range NumDims {
		t[d] = min(o.Tile[d], p.Share(o, d))
	}
	return t
}

// Steps returns how many tiles each loop of the operation walks on one core.
func (p *Problem) Steps(o *OpSchedule) [NumDims]int64 {
	var n [NumDims]int64
	for d := range NumDims {
		share := p.Share(o, d)
		n[d] = CeilDiv(share, min(o.Tile[d], share))
	}
	return n
}

// BurstSteps returns how many steps of the innermost loop one gradient runs
// before the other follows, where three loops are shared: 1 to the loop's
// steps. It is 0 where fewer are.
func (p *Problem) BurstSteps(s *Schedule) int64 {
	if s.Pass != Backward || s.Shared != 3 {
		return 0
	}
	o := &s.Ops[DX]
	return min(max(s.Burst, 1), p.Steps(o)[o.Order[2]])
}

// SharesDY reports whether dY is one region for both gradients, so that what
// dX loads serves dW: both hold it at one level of the shared loops, their
// tiles of it agree and so do their cores (cost model section 3).
func (p *Problem) SharesDY(s *Schedule) bool {
	if s.Pass != Backward {
		return false
	}
	a, b := &s.Ops[DX], &s.Ops[DW]
	if a.Hold[K] != b.Hold[K] || a.Hold[K] > s.Shared || !sameParts(a, b) {
		return false
	}
	// Loops outside the level are shared, so their tiles agree anyway.
	ta, tb := p.Extents(a), p.Extents(b)
	return ta[M] == tb[M] && ta[N] == tb[N]
}

// TwoRuns reports whether the gradients run one after the other with nothing
// in common: each has the SPM, and its cores, to itself.
func (p *Problem) TwoRuns(s *Schedule) bool {
	return s.Pass == Backward && s.Shared == 0 && !p.SharesDY(s)
}

func sameParts(a, b *OpSchedule) bool {
	return a.Parts(M) == b.Parts(M) && a.Parts(N) == b.Parts(N) && a.Parts(K) == b.Parts(K)
}

// TileElements returns the elements of one tile of t with the given extents.
func (p *Problem) TileElements(t Tensor, extents [NumDims]int64) int64 {
	switch t.Lacks() {
	case M:
		return extents[K] * extents[N]
	case N:
		return p.XElements(extents[M], extents[K])
	}
	return extents[M] * extents[N]
}
