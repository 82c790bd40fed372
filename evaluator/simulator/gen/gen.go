// Package gen draws random small problems with a legal schedule each, for
// tests that compare evaluators: every pass, shared loops and bursts, one dY
// region or two, convolutions, batches, cores, divided SPMs, ragged tiles.
package gen

import (
	"math/rand/v2"

	"github.com/npu-tune/npu-tune/space"
)

// Source returns a number from 0 to n-1; 0 stands for the simpler choice, so
// that a source that shrinks (rapid) finds small cases.
type Source func(n int64) int64

// Seeded returns a Source of pseudo-random numbers: one seed, one sequence.
func Seeded(seed uint64) Source {
	return rand.New(rand.NewPCG(seed, 0x6e70752d74756e65)).Int64N
}

// Options bound what is drawn; the zero value is ready.
type Options struct {
	MaxDim int64 // largest M, N, K of a plain GEMM; 0 means 20
	MaxOps int64 // most tile operations of one gradient, about; 0 means 2000
	// Limited gives the SPM pools capacities, so that some schedules do not
	// fit. Otherwise they are unlimited.
	Limited bool
	// OneCore leaves cores, multicast and shared SPM out.
	OneCore bool
}

// Case draws a problem and one of its schedules. The schedule is legal; with
// Options.Limited it need not fit.
func Case(src Source, o Options) (space.Problem, space.Schedule) {
	if o.MaxDim == 0 {
		o.MaxDim = 20
	}
	if o.MaxOps == 0 {
		o.MaxOps = 2000
	}
	d := drawer{src, o}
	p := space.Problem{Layer: d.layer(), HW: d.hardware(), Pass: one(d, space.Forward, space.DWOnly, space.Backward, space.Backward, space.Backward)}
	return p, d.schedule(&p)
}

// drawer draws the parts of a case.
type drawer struct {
	src Source
	Options
}

// between returns a number from low to high.
func (d drawer) between(low, high int64) int64 { return low + d.src(high-low+1) }

// rarely is true once in n draws.
func (d drawer) rarely(n int64) bool { return d.src(n) == n-1 }

// one returns one of the choices, the first being the simplest.
func one[T any](d drawer, choices ...T) T { return choices[d.src(int64(len(choices)))] }
