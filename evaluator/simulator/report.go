package simulator

import (
	"context"
	"fmt"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/space"
)

// Stalls says where the cycles of a schedule go, all batches. A stage's cycles
// belong to whatever it takes longest: the array, or the DMA engine, then by
// what it moves more of. Their sum is Cost.Cycles.
type Stalls struct {
	ComputeBound float64 // the array works, the DMA engine keeps up
	LoadBound    float64 // the array waits; loads outweigh writes
	StoreBound   float64 // the array waits; writes outweigh loads
	Prologue     float64 // loads before the first operation
	Epilogue     float64 // writes after the last operation
	Reduction    float64 // sums over the cores
}

// Sum returns all cycles.
func (s *Stalls) Sum() float64 {
	return s.ComputeBound + s.LoadBound + s.StoreBound + s.Prologue + s.Epilogue + s.Reduction
}

// Area is a region's place in the SPM.
type Area struct {
	Run       int // 0, or 1 for the second of two separate runs
	Region    space.Region
	Pool      int
	Offset    int64 // bytes from the pool's start
	Slots     int64
	SlotBytes int64
	Replicas  int64 // distinct parts in a shared SPM, else 1
}

// Bucket is one interval of a timeline, one batch.
type Bucket struct {
	Start      float64 // cycles
	Occupied   float64 // bytes of SPM in use, mean over the interval
	ReadBytes  float64 // over the DRAM interface
	WriteBytes float64 // over the DRAM interface
	Compute    float64 // cycles in which the array works
}

// Report is what a run on the real SPM shows.
type Report struct {
	Cost     evaluator.Cost
	Stalls   Stalls
	Areas    []Area
	PeakSPM  int64   // bytes of slots that held a tile at once; with several runs the most
	Width    float64 // cycles of a Bucket
	Timeline []Bucket
}

// RunOptions adjust Run; the zero value is ready.
type RunOptions struct {
	Buckets int // intervals of the timeline; 0 means 100
}

// Run costs a schedule on an SPM with regions, slots and tiles in them. It
// returns a Fault if the plan reads what is not there, overwrites what is live
// or loses results; ErrCapacity if the regions do not fit;
// space.ErrIllegal, ErrTooLarge, ErrProblem or the context's error.
func (s *Simulator) Run(ctx context.Context, p *space.Problem, sched *space.Schedule, o RunOptions) (Report, error) {
	if err := s.accept(p, sched); err != nil {
		return Report{}, err
	}
	whole, fit, err := cost(ctx, p, sched)
	if err != nil {
		return Report{}, err
	}
	if fit != nil {
		return Report{Cost: whole}, fit
	}
	if o.Buckets == 0 {
		o.Buckets = 100
	}
	m := &machine{}
	meter := &meter{machine: m, buckets: o.Buckets, total: whole.Cycles / float64(p.Layer.Batches())}
	c, _, err := cost(ctx, p, sched, m, meter)
	if err != nil {
		return Report{}, err
	}
	r := meter.report
	r.Cost, r.PeakSPM = c, m.peak
	r.Stalls.scale(float64(p.Layer.Batches()))
	if r.PeakSPM > c.SPMBytes {
		return r, fmt.Errorf("%w: %d bytes in use, the plan has %d", ErrCapacity, r.PeakSPM, c.SPMBytes)
	}
	return r, nil
}

// accept reports why a problem or schedule cannot be simulated.
func (s *Simulator) accept(p *space.Problem, sched *space.Schedule) error {
	if err := checkProblem(p); err != nil {
		return err
	}
	return s.admit(p, sched)
}

func (s *Stalls) scale(by float64) {
	for c := range causeNames {
		*s.of(cause(c)) *= by
	}
}

// of returns the figure of a cause.
func (s *Stalls) of(c cause) *float64 {
	return [...]*float64{&s.ComputeBound, &s.LoadBound, &s.StoreBound, &s.Prologue, &s.Epilogue, &s.Reduction}[c]
}
