package simulator

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/npu-tune/npu-tune/space"
)

// ErrNumbers is wrapped where a replay computes something else than the
// reference.
var ErrNumbers = errors.New("numbers differ from the reference")

// FloatTolerance is the largest relative error of a float32 element.
const FloatTolerance = 1e-4

// TensorCheck says how one output compares with its reference.
type TensorCheck struct {
	Tensor   space.Tensor
	Elements int64   // compared per number type, all batches; pixels for dX of a convolution
	MaxError float64 // largest relative error in float32; integers are equal
}

// ReplayReport is what a replay compared.
type ReplayReport struct {
	Tensors []TensorCheck
	Pixels  PixelCount // tiles of a convolution with implicit im2col, all cores and batches, both number types
}

// Replay runs the schedule with random numbers, once in float32 and once in
// integers: every batch, every core, every tile through its SPM slot. Outputs
// are compared with a reference that knows no tiles: gonum's GEMM, for
// convolutions the direct sum over windows and its gradients. Float32 agrees
// within FloatTolerance, integers exactly.
//
// It returns ErrNumbers with the first element that differs, or an error of
// Run. The same seed gives the same numbers. The work is the layer's MACs, so
// Shrink large problems first.
func (s *Simulator) Replay(ctx context.Context, p *space.Problem, sched *space.Schedule, seed uint64) (ReplayReport, error) {
	var rep ReplayReport
	if err := s.accept(p, sched); err != nil {
		return rep, err
	}
	runs := plan(p, sched)
	for _, op := range sched.Pass.Ops() {
		rep.Tensors = append(rep.Tensors, TensorCheck{Tensor: op.Output()})
	}
	for batch := range p.Layer.Batches() {
		rng := rand.New(rand.NewPCG(seed, uint64(batch)))
		if err := replayBatch(ctx, p, sched, runs, draw[int64](p, rng), &rep, true); err != nil {
			return rep, fmt.Errorf("batch %d in integers: %w", batch, err)
		}
		if err := replayBatch(ctx, p, sched, runs, draw[float32](p, rng), &rep, false); err != nil {
			return rep, fmt.Errorf("batch %d in float32: %w", batch, err)
		}
	}
	return rep, nil
}

func replayBatch[T number](ctx context.Context, p *space.Problem, sched *space.Schedule, runs []run, in inputs[T], rep *ReplayReport, exact bool) error {
	c := newReplay(p, in, &rep.Pixels)
	if err := c.cores(ctx, runs); err != nil {
		return err
	}
	return c.check(sched, in, rep, exact)
}

// check compares all outputs with the reference of the inputs.
func (c *replay[T]) check(sched *space.Schedule, in inputs[T], rep *ReplayReport, exact bool) error {
	for i, op := range sched.Pass.Ops() {
		check := &rep.Tensors[i]
		got, want := doubles(c.result(op)), reference(&c.problem.Layer, op, in)
		worst, err := compare(got, want, exact)
		if err != nil {
			return fmt.Errorf("%v: %w", op.Output(), err)
		}
		if exact {
			check.Elements += int64(len(want))
		}
		check.MaxError = max(check.MaxError, worst)
	}
	return nil
}

// compare returns the largest relative error, or the first one too large.
func compare(got, want []float64, exact bool) (float64, error) {
	if len(got) != len(want) {
		return 0, fmt.Errorf("%w: %d elements, want %d", ErrNumbers, len(got), len(want))
	}
	var worst float64
	for i := range want {
		if got[i] == want[i] {
			continue
		}
		e := math.Abs(got[i]-want[i]) / max(math.Abs(want[i]), math.SmallestNonzeroFloat64)
		if exact || !(e <= FloatTolerance) {
			return e, fmt.Errorf("%w: element %d is %v, want %v", ErrNumbers, i, got[i], want[i])
		}
		worst = max(worst, e)
	}
	return worst, nil
}
