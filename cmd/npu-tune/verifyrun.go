package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/npu-tune/npu-tune/evaluator/verify"
)

// checked is a subject with what was checked.
type checked struct {
	subject
	report verify.Report
	ended  bool
}

// checkAll checks schedules, several at a time, until all are checked, one
// fails or the context ends. It returns the checked ones in order; of several
// failures the first in order, which is then the last one checked.
func checkAll(ctx context.Context, c *verify.Checker, list []subject, workers int) ([]checked, *verify.Failure, error) {
	r := &checkRun{checker: c, done: make([]checked, len(list)), failed: len(list)}
	contexts := make([]context.Context, len(list))
	for i := range list {
		var cancel context.CancelFunc
		contexts[i], cancel = context.WithCancel(ctx)
		defer cancel()
		r.cancel = append(r.cancel, cancel)
	}
	ended := make(chan error, 1)
	go func() {
		var group errgroup.Group
		group.SetLimit(workers)
		for i := range list {
			group.Go(func() error { return r.check(contexts[i], i, list[i]) })
		}
		ended <- group.Wait()
	}()
	select {
	case err := <-ended:
		return r.result(err)
	case <-ctx.Done():
	}
	// Checks look at their context now and then. Who wants to stop does not
	// wait for one that takes long until then; it changes nothing any more.
	select {
	case err := <-ended:
		return r.result(err)
	case <-time.After(patience):
		return r.result(nil)
	}
}

// patience is how long a check may go on after the context ended.
const patience = 500 * time.Millisecond

type checkRun struct {
	checker *verify.Checker
	cancel  []context.CancelFunc

	mu      sync.Mutex
	done    []checked
	failed  int // index of the first failure; the number of subjects: none
	failure *verify.Failure
}

// check checks one schedule. A failure ends the checks behind it.
func (r *checkRun) check(ctx context.Context, i int, s subject) error {
	if ctx.Err() != nil {
		return nil
	}
	report, err := r.checker.Check(ctx, s.problem, &s.solution.Schedule, &s.solution.Cost)
	var failure *verify.Failure
	switch {
	case errors.As(err, &failure):
		r.end(i, checked{s, report, true}, failure)
		return nil
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return fmt.Errorf("%s, %s: %w", s.job.Name(), s.name, err)
	}
	r.end(i, checked{s, report, true}, nil)
	return nil
}

func (r *checkRun) end(i int, c checked, failure *verify.Failure) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done[i] = c
	if failure == nil || i >= r.failed {
		return
	}
	r.failed, r.failure = i, failure
	for _, cancel := range r.cancel[i+1:] {
		cancel()
	}
}

// result returns the checks that ended, up to the first failure.
func (r *checkRun) result(err error) ([]checked, *verify.Failure, error) {
	if err != nil {
		return nil, nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var done []checked
	for i := range r.done[:min(r.failed+1, len(r.done))] {
		if r.done[i].ended {
			done = append(done, r.done[i])
		}
	}
	return done, r.failure, nil
}
