package space

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Genome is a schedule as small numbers, each the index of a legal value. A
// gene beyond its values counts modulo them, so any genome is a schedule, and
// only the SPM's capacity can be violated.
//
// The genes: the loop structure (shared loops and both orders), the burst, then
// for each of the pass's operations the split over the cores, the dataflow, a
// hold level per operand and a tile extent per dimension. What the loops share
// is dX's; dW's genes for it mean nothing.
type Genome [2 + 2*genesPerOp]int32

const (
	structureGene = iota
	burstGene
	firstOpGene
)

const (
	splitGene = iota
	flowGene
	holdGene   // and the two after it
	tileGene   = holdGene + int(NumDims)
	genesPerOp = tileGene + int(NumDims)
)

// Decode returns the genome's schedule. It is legal and satisfies the
// constraints, but for the SPM's capacity. It allocates nothing.
func (sp *Space) Decode(g *Genome) Schedule {
	s := Schedule{Pass: sp.Problem.Pass}
	st := sp.structures[pick(g[structureGene], len(sp.structures))]
	s.Shared = st.shared
	ops := s.Pass.Ops()
	for i, op := range ops {
		genes := g[firstOpGene+i*genesPerOp:][:genesPerOp]
		o, c := &s.Ops[op], &sp.ops[op]
		order := st.orders[op]
		o.Order = Orders[order]
		o.Dataflow = c.flows[pick(genes[flowGene], len(c.flows))]
		for d := range NumDims {
			levels := c.holds[order][d]
			o.Hold[d] = levels[pick(genes[holdGene+int(d)], len(levels))]
		}
		if i == 1 && s.Shared > 0 {
			o.Cores = s.Ops[DX].Cores
		} else {
			o.Cores = sp.split(&st, c, genes[splitGene])
		}
		sp.decodeTile(&s, i, genes[tileGene:])
	}
	if s.Shared == 3 {
		s.Burst = 1 + int64(pick(g[burstGene], int(sp.maxBurst(&s))))
	}
	return s
}

// pick maps a gene to one of n values.
func pick(gene int32, n int) int { return int(uint32(gene) % uint32(n)) }

// split returns the split of a gene; where loops are shared it must suit both
// gradients, so the next one that does is taken.
func (sp *Space) split(st *structure, c *opChoices, gene int32) [NumDims]uint16 {
	i := pick(gene, len(c.splits))
	for range c.splits {
		if split := sp.splits[c.splits[i]]; st.shared == 0 || sp.suitsBoth(st, c.splits[i]) {
			return split
		}
		i = (i + 1) % len(c.splits)
	}
	return sp.splits[c.splits[i]]
}

// suitsBoth reports whether both gradients may have a split and extents of the
// loops that they share.
func (sp *Space) suitsBoth(st *structure, split uint16) bool {
	for _, d := range Orders[st.orders[DX]][:st.shared] {
		if sp.extentsOf(both, d, sp.splits[split]).Len() == 0 {
			return false
		}
	}
	_, ok := slices.BinarySearch(sp.ops[DW].splits, split)
	return ok
}

func (sp *Space) decodeTile(s *Schedule, i int, genes []int32) {
	o := &s.Ops[s.Pass.Ops()[i]]
	for d := range NumDims {
		which := i
		if o.Order.Position(d) <= int(s.Shared) {
			if i == 1 {
				o.Tile[d] = s.Ops[DX].Tile[d]
				continue
			}
			which = both
		}
		e := sp.extentsOf(which, d, o.Cores)
		o.Tile[d] = e.At(int64(pick(genes[d], int(e.Len()))))
	}
}

// maxBurst returns the longest burst of a schedule with three shared loops.
func (sp *Space) maxBurst(s *Schedule) int64 {
	o := &s.Ops[DX]
	n := sp.Problem.Steps(o)[o.Order[2]]
	if most := sp.Constraints.MaxBurst; most > 0 {
		n = min(n, most)
	}
	return n
}

// Encode is the inverse of Decode, up to extents beyond the share, cores
// written as 1 and bursts beyond the loop. It reports what Decode never gives:
// a schedule that is illegal, breaks the constraints or leaves a core without
// work.
func (sp *Space) Encode(s *Schedule) (Genome, error) {
	var g Genome
	if err := sp.Allows(s); err != nil {
		return g, err
	}
	st := structure{shared: s.Shared}
	for _, op := range s.Pass.Ops() {
		st.orders[op] = uint8(slices.Index(Orders[:], s.Ops[op].Order))
	}
	i := slices.Index(sp.structures, st)
	if i < 0 {
		return g, fmt.Errorf("%w: no genome for these orders", ErrIllegal)
	}
	g[structureGene] = int32(i)
	g[burstGene] = int32(max(sp.Problem.BurstSteps(s), 1) - 1)
	for i, op := range s.Pass.Ops() {
		genes := g[firstOpGene+i*genesPerOp:][:genesPerOp]
		if !sp.encodeOp(s, op, i, int(st.orders[op]), genes) {
			return g, fmt.Errorf("%w: no genome for %s", ErrIllegal, op)
		}
	}
	return g, nil
}

func (sp *Space) encodeOp(s *Schedule, op Op, i, order int, genes []int32) bool {
	o, c := &s.Ops[op], &sp.ops[op]
	cores := o.Cores
	for d := range cores {
		if cores[d] == 1 {
			cores[d] = 0
		}
	}
	split := slices.IndexFunc(c.splits, func(j uint16) bool { return sp.splits[j] == cores })
	flow := slices.Index(c.flows, o.Dataflow)
	if split < 0 || flow < 0 {
		return false
	}
	genes[splitGene], genes[flowGene] = int32(split), int32(flow)
	tile := sp.Problem.Extents(o)
	for d := range NumDims {
		h := slices.Index(c.holds[order][d], o.Hold[d])
		which := i
		if o.Order.Position(d) <= int(s.Shared) {
			which = both
		}
		t, ok := sp.extentsOf(which, d, cores).Index(tile[d])
		if h < 0 || !ok {
			return false
		}
		genes[holdGene+int(d)], genes[tileGene+int(d)] = int32(h), int32(t)
	}
	return true
}

// Random draws a genome: each gene uniform over its values, extents half of
// the time among those worth trying first.
func (sp *Space) Random(rng *rand.Rand) Genome {
	var g Genome
	for i := range g {
		g[i] = rng.Int32()
	}
	s := sp.Decode(&g)
	for i, op := range s.Pass.Ops() {
		for d := range NumDims {
			which := i
			if s.Ops[op].Order.Position(d) <= int(s.Shared) {
				which = both
			}
			e := sp.extentsOf(which, d, s.Ops[op].Cores)
			if first := e.Preferred(); rng.IntN(2) == 0 {
				g[firstOpGene+i*genesPerOp+tileGene+int(d)] = int32(rng.Int64N(first))
			}
		}
	}
	return g
}
