package space

// Size returns how many schedules the space has as they are written, forms of
// the same meaning (Problem.Canonical) counted apart, exact up to 2⁵³: loop
// structures, splits, dataflows, holds, extents and bursts.
func (sp *Space) Size() float64 {
	var sum float64
	for i := range sp.structures {
		st := &sp.structures[i]
		if sp.Problem.Pass == Backward {
			sum += sp.pairs(st)
			continue
		}
		op := sp.Problem.Pass.Ops()[0]
		tiles := 0.0
		for _, split := range sp.ops[op].splits {
			tiles += sp.tiles(0, sp.splits[split], [NumDims]bool{M: true, N: true, K: true})
		}
		sum += tiles * sp.choices(op, st)
	}
	return sum
}

// choices counts an operation's dataflows and hold levels.
func (sp *Space) choices(op Op, st *structure) float64 {
	n := float64(len(sp.ops[op].flows))
	for _, levels := range sp.ops[op].holds[st.orders[op]] {
		n *= float64(len(levels))
	}
	return n
}

// tiles counts the extents of some dimensions.
func (sp *Space) tiles(which int, split [NumDims]uint16, dims [NumDims]bool) float64 {
	n := 1.0
	for d := range NumDims {
		if dims[d] {
			n *= float64(sp.extentsOf(which, d, split).Len())
		}
	}
	return n
}

// pairs counts the schedules of two gradients with one loop structure.
func (sp *Space) pairs(st *structure) float64 {
	all := [NumDims]bool{M: true, N: true, K: true}
	if st.shared == 0 {
		n := sp.choices(DX, st) * sp.choices(DW, st)
		for i, op := range Backward.Ops() {
			tiles := 0.0
			for _, split := range sp.ops[op].splits {
				tiles += sp.tiles(i, sp.splits[split], all)
			}
			n *= tiles
		}
		return n
	}
	order := Orders[st.orders[DX]]
	var shared, own [NumDims]bool
	for i, d := range order {
		shared[d], own[d] = i < int(st.shared) && i < 2, i >= int(st.shared)
	}
	var tiles float64
	for _, j := range sp.ops[DX].splits {
		if !sp.suitsBoth(st, j) {
			continue
		}
		split := sp.splits[j]
		n := sp.tiles(both, split, shared) * sp.tiles(0, split, own) * sp.tiles(1, split, own)
		if st.shared == 3 {
			n *= sp.extentsOf(both, order[2], split).bursts(sp.Constraints.MaxBurst)
		}
		tiles += n
	}
	return tiles * sp.choices(DX, st) * sp.choices(DW, st)
}
