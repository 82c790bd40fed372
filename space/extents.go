package space

import (
	"slices"
	"sort"
)

// Extents are the legal tile extents of one dimension, numbered from 0: first
// the ones worth trying first (the smallest extent of each step count, and
// multiples of the array's sides), rising, then all others, rising.
type Extents struct {
	share    int64
	multiple int64   // extents are multiples of it, or the share
	regular  int64   // how many multiples there are
	whole    bool    // the share is legal beyond the multiples
	first    []int64 // the extents worth trying first, rising
	ranks    []int64 // their places among all extents, rising
}

// maxArrayMultiples bounds how many multiples of an array's side come first.
const maxArrayMultiples = 1024

// newExtents lists the extents of a share that are multiples (0: of 1) and at
// most (0: any); sides are the array's.
func newExtents(share, multiple, most int64, sides ...int64) *Extents {
	e := &Extents{share: share, multiple: max(multiple, 1)}
	if most == 0 {
		most = share
	}
	e.regular = min(share, most) / e.multiple
	e.whole = share <= most && share%e.multiple != 0
	for steps := int64(1); ; {
		t := CeilDiv(share, steps) // the smallest extent of these steps
		if v := CeilDiv(t, e.multiple) * e.multiple; v < share {
			e.addFirst(v)
		} else {
			e.addFirst(share)
		}
		if t == 1 {
			break
		}
		steps = CeilDiv(share, t-1)
	}
	for _, side := range sides {
		for n := int64(1); n <= maxArrayMultiples && n*side < share; n++ {
			e.addFirst(n * side)
		}
	}
	slices.Sort(e.first)
	e.first = slices.Compact(e.first)
	for _, v := range e.first {
		e.ranks = append(e.ranks, e.rank(v))
	}
	return e
}

func (e *Extents) addFirst(v int64) {
	if e.Has(v) {
		e.first = append(e.first, v)
	}
}

// Len returns how many extents there are.
func (e *Extents) Len() int64 {
	if e.whole {
		return e.regular + 1
	}
	return e.regular
}

// Preferred returns how many extents come first.
func (e *Extents) Preferred() int64 { return int64(len(e.first)) }

// Has reports whether v is one of the extents.
func (e *Extents) Has(v int64) bool {
	if v == e.share && e.whole {
		return true
	}
	return v > 0 && v%e.multiple == 0 && v/e.multiple <= e.regular
}

// rank returns the place of an extent among all, by size.
func (e *Extents) rank(v int64) int64 {
	if v%e.multiple != 0 {
		return e.regular
	}
	return v/e.multiple - 1
}

// At returns the extent of a number 0..Len-1.
func (e *Extents) At(i int64) int64 {
	n := int64(len(e.first))
	if i < n {
		return e.first[i]
	}
	// The others' places skip those of the first: of place r+j, j first ones
	// stand below.
	r := i - n
	j := sort.Search(len(e.ranks), func(j int) bool { return e.ranks[j]-int64(j) > r })
	if place := r + int64(j); place < e.regular {
		return (place + 1) * e.multiple
	}
	return e.share
}

// Index is the inverse of At; it reports whether v is one of the extents.
func (e *Extents) Index(v int64) (int64, bool) {
	if !e.Has(v) {
		return 0, false
	}
	j, found := slices.BinarySearch(e.first, v)
	if found {
		return int64(j), true
	}
	return int64(len(e.first)) + e.rank(v) - int64(j), true
}

// bursts returns how many pairs of an extent and a burst there are, where
// bursts are at most (0: any).
func (e *Extents) bursts(most int64) float64 {
	of := func(t int64) float64 {
		n := CeilDiv(e.share, t)
		if most > 0 {
			n = min(n, most)
		}
		return float64(n)
	}
	var sum float64
	for i := int64(1); i <= e.regular; {
		t := i * e.multiple
		steps := CeilDiv(e.share, t)
		last := e.regular // the largest multiple with as many steps
		if steps > 1 {
			last = min(last, (e.share-1)/(steps-1)/e.multiple)
		}
		sum += float64(last-i+1) * of(t)
		i = last + 1
	}
	if e.whole {
		sum++
	}
	return sum
}
