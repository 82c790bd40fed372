// Package pool spreads batches over goroutines, for evaluators that take much
// longer per schedule than the closed form does.
package pool

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/space"
)

// ErrWorkers is wrapped by New's error.
var ErrWorkers = errors.New("invalid number of workers")

// Evaluator hands the schedules of a batch to another evaluator a few at a
// time, from several goroutines. Results are those of the other one, in
// order, whatever the number of workers. It is safe for concurrent use; each
// batch has goroutines of its own.
type Evaluator struct {
	inner   evaluator.Evaluator
	workers int
	chunk   int
}

var _ evaluator.Evaluator = (*Evaluator)(nil)

// New returns a pool of workers (0: one per CPU) that give the inner evaluator
// chunk schedules at a time (0: one, which suits costs of a millisecond).
func New(inner evaluator.Evaluator, workers, chunk int) (*Evaluator, error) {
	if workers < 0 || chunk < 0 {
		return nil, fmt.Errorf("%w: %d workers with %d schedules at a time, want 0 or more of each", ErrWorkers, workers, chunk)
	}
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return &Evaluator{inner: inner, workers: workers, chunk: max(chunk, 1)}, nil
}

// Name returns the inner evaluator's name: the pool changes no result.
func (e *Evaluator) Name() string { return e.inner.Name() }

// Evaluate implements evaluator.Evaluator. The first error ends the batch.
func (e *Evaluator) Evaluate(ctx context.Context, p *space.Problem, schedules []space.Schedule, results []evaluator.Result) error {
	if len(schedules) <= e.chunk || e.workers == 1 {
		return e.inner.Evaluate(ctx, p, schedules, results)
	}
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(e.workers)
	for from := 0; from < len(schedules) && inner.Err() == nil; from += e.chunk {
		to := min(from+e.chunk, len(schedules))
		group.Go(func() error {
			if err := inner.Err(); err != nil {
				return err
			}
			return e.inner.Evaluate(inner, p, schedules[from:to], results[from:to])
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}
