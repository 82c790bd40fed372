package pool

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// slow takes a second per schedule, or fails from some schedule on.
type slow struct {
	calls  atomic.Int64
	failAt int64
}

var errBroken = errors.New("broken")

func (*slow) Name() string { return "slow" }

func (s *slow) Evaluate(ctx context.Context, p *space.Problem, schedules []space.Schedule, results []evaluator.Result) error {
	for i := range schedules {
		if n := s.calls.Add(1); s.failAt > 0 && n >= s.failAt {
			return errBroken
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
		if err := (analytic.Evaluator{}).Evaluate(ctx, p, schedules[i:i+1], results[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

func batch(t *testing.T, n int) (*space.Problem, []space.Schedule) {
	t.Helper()
	hw := hardware.Params{Rows: 4, Cols: 4, BytesPerCycle: 4, BytesIn: 2, BytesOut: 2, BytesAcc: 4, Cores: 1}
	hw.UnifiedSPM(1 << 12)
	p := &space.Problem{Layer: models.Layer{M: 30, N: 20, K: 10}, HW: hw, Pass: space.Backward}
	sp, err := space.NewSpace(p, space.Constraints{})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	schedules := make([]space.Schedule, n)
	for i := range schedules {
		g := sp.Random(rng)
		schedules[i] = sp.Decode(&g)
	}
	return p, schedules
}

func mustNew(t *testing.T, inner evaluator.Evaluator, workers, chunk int) *Evaluator {
	t.Helper()
	e, err := New(inner, workers, chunk)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestResultsAreThoseOfTheInnerEvaluator(t *testing.T) {
	p, schedules := batch(t, 101)
	want := make([]evaluator.Result, len(schedules))
	if err := (analytic.Evaluator{}).Evaluate(t.Context(), p, schedules, want); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]int{{0, 0}, {1, 1}, {2, 7}, {8, 1}, {3, 1000}} {
		got := make([]evaluator.Result, len(schedules))
		if err := mustNew(t, analytic.Evaluator{}, c[0], c[1]).Evaluate(t.Context(), p, schedules, got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d workers, %d at a time (-want +got):\n%s", c[0], c[1], diff)
		}
	}
}

func TestWorkersShareTheBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, schedules := batch(t, 10)
		for workers, want := range map[int]time.Duration{1: 10 * time.Second, 2: 5 * time.Second, 4: 3 * time.Second, 10: time.Second} {
			start := time.Now()
			err := mustNew(t, &slow{}, workers, 1).Evaluate(t.Context(), p, schedules, make([]evaluator.Result, len(schedules)))
			if took := time.Since(start); err != nil || took != want {
				t.Errorf("%d workers took %v (error %v), want %v", workers, took, err, want)
			}
		}
	})
}

func TestContextEndsTheBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, schedules := batch(t, 1000)
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		s := &slow{}
		start := time.Now()
		err := mustNew(t, s, 2, 1).Evaluate(ctx, p, schedules, make([]evaluator.Result, len(schedules)))
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 2500*time.Millisecond || s.calls.Load() > 6 {
			t.Errorf("error %v after %v and %d schedules, want the deadline's after 2.5s and 6", err, time.Since(start), s.calls.Load())
		}
	})
}

func TestFirstErrorEndsTheBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, schedules := batch(t, 1000)
		s := &slow{failAt: 5}
		err := mustNew(t, s, 2, 1).Evaluate(t.Context(), p, schedules, make([]evaluator.Result, len(schedules)))
		if !errors.Is(err, errBroken) || s.calls.Load() > 8 {
			t.Errorf("error %v after %d schedules, want the evaluator's at once", err, s.calls.Load())
		}
	})
}

func TestBadNumbers(t *testing.T) {
	for _, c := range [][2]int{{-1, 0}, {0, -1}} {
		if _, err := New(analytic.Evaluator{}, c[0], c[1]); !errors.Is(err, ErrWorkers) {
			t.Errorf("workers %d, chunk %d: error %v, want ErrWorkers", c[0], c[1], err)
		}
	}
}
