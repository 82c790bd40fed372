package igo

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// The choice of a partition by nearest neighbours, as in the paper but for the
// number of neighbours, which it does not print.
const (
	neighbours  = 3
	repeats     = 1000
	testPart    = 5 // one in five layers is held out
	choiceSeeds = 1
)

// sample is a layer with what each partition takes.
type sample struct {
	m, n, k int64
	cycles  [NumPartitions]float64 // +Inf: impossible
}

// best returns the fastest partition.
func (s *sample) best() Partition {
	b := Whole
	for p := range NumPartitions {
		if s.cycles[p] < s.cycles[b] {
			b = p
		}
	}
	return b
}

// distance is Euclidean over the logarithms of rows and columns of dX, dW and
// dY: each of m, n and k occurs twice.
func (s *sample) distance(o *sample) float64 {
	d := func(a, b int64) float64 { return math.Log(float64(a) / float64(b)) }
	m, n, k := d(s.m, o.m), d(s.n, o.n), d(s.k, o.k)
	return math.Sqrt(2 * (m*m + n*n + k*k))
}

// Choice is how well nearest neighbours choose partitions.
type Choice struct {
	Layers   int     // samples
	Accuracy float64 // part of held-out layers whose fastest partition is chosen
	// cycles is what each layer takes with the choice, the mean over the
	// repeats that held it out.
	cycles []float64
}

// chooseByNeighbours splits the samples at random into four fifths that are
// known and a fifth that is to be guessed, many times. Too few samples give nil.
func chooseByNeighbours(samples []sample) *Choice {
	n := len(samples)
	held := n / testPart
	if held == 0 {
		return nil
	}
	near := nearest(samples)
	random := rand.New(rand.NewPCG(choiceSeeds, 0))
	known := make([]bool, n)
	times := make([]int, n)
	c := &Choice{Layers: n, cycles: make([]float64, n)}
	var right int
	for range repeats {
		order := random.Perm(n)
		for i, s := range order {
			known[s] = i >= held
		}
		for _, s := range order[:held] {
			got := samples[s].cycles[vote(samples, near[s], known)]
			if math.IsInf(got, 1) { // the neighbours' partition is none of this layer's
				got = worst(&samples[s])
			}
			if got <= samples[s].cycles[samples[s].best()]*(1+1e-9) {
				right++
			}
			c.cycles[s] += got
			times[s]++
		}
	}
	c.Accuracy = float64(right) / float64(repeats*held)
	for s := range c.cycles {
		if times[s] > 0 {
			c.cycles[s] /= float64(times[s])
		} else {
			c.cycles[s] = samples[s].cycles[samples[s].best()]
		}
	}
	return c
}

// worst returns the slowest partition that the layer has.
func worst(s *sample) float64 {
	w := 0.0
	for _, c := range s.cycles {
		if !math.IsInf(c, 1) {
			w = max(w, c)
		}
	}
	return w
}

// nearest lists for each sample the others by distance.
func nearest(samples []sample) [][]int {
	lists := make([][]int, len(samples))
	for s := range samples {
		for o := range samples {
			if o != s {
				lists[s] = append(lists[s], o)
			}
		}
		slices.SortStableFunc(lists[s], func(a, b int) int {
			return cmp.Compare(samples[s].distance(&samples[a]), samples[s].distance(&samples[b]))
		})
	}
	return lists
}

// vote returns the partition of most of the nearest known samples, of equal
// ones the nearest's.
func vote(samples []sample, near []int, known []bool) Partition {
	var count [NumPartitions]int
	var list []Partition
	for _, o := range near {
		if known[o] && len(list) < neighbours {
			p := samples[o].best()
			count[p]++
			list = append(list, p)
		}
	}
	chosen := list[0]
	for _, p := range list {
		if count[p] > count[chosen] {
			chosen = p
		}
	}
	return chosen
}
