package tuner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/npu-tune/npu-tune/search"
)

// errWorse is an internal error: a proof that a hand-tuned schedule refutes.
var errWorse = errors.New("proven optimum is worse than a hand-tuned schedule")

// searchAll runs all tasks in rounds until every one has come to its end or
// the context has. Under a deadline a task gets a slice of the time, so that
// no layer starves behind a hard one; those that it did not suffice for begin
// again in the next round, which shares what the others left over. Beginning
// again, rather than resuming, keeps a finished task's result independent of
// the slices that it took.
func (t *tuning) searchAll(ctx context.Context) error {
	for ctx.Err() == nil {
		pending := slices.DeleteFunc(slices.Clone(t.tasks), func(k *task) bool { return k.finished })
		if len(pending) == 0 {
			return nil
		}
		if err := t.round(ctx, pending); err != nil {
			return err
		}
	}
	return nil
}

// round runs each of the tasks once, those that can still gain most first.
func (t *tuning) round(ctx context.Context, pending []*task) error {
	slices.SortStableFunc(pending, func(a, b *task) int {
		return cmp.Compare(b.gain(t.plan.Objective), a.gain(t.plan.Objective))
	})
	shares := newSlicer(pending, t.plan.Objective, t.plan.Workers)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(t.plan.Workers)
	for _, k := range pending {
		group.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			slice, cancel := fraction(ctx, shares.next(k))
			defer cancel()
			if err := t.searchTask(slice, k); err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// gain returns how much of the objective the task could still save, over all
// its occurrences.
func (t *task) gain(o search.Objective) float64 {
	best := t.outcome.Best()
	if best == nil {
		return 0
	}
	return (o.Value(&best.Cost) - t.outcome.Bound) * float64(t.count)
}

// searchTask runs the hand-tuned families and the strategy on one task. Of a
// slice of time the families get at most half.
func (t *tuning) searchTask(ctx context.Context, k *task) error {
	t.report.started(k)
	half, cancel := fraction(ctx, 0.5)
	err := t.searchFamilies(half, k, false)
	cancel()
	if err != nil {
		return err
	}
	if err := t.searchStrategy(ctx, k); err != nil {
		return err
	}
	if err := t.searchFamilies(ctx, k, true); err != nil {
		return err
	}
	t.report.ended(k)
	return nil
}

// searchStrategy runs the strategy on one task.
func (t *tuning) searchStrategy(ctx context.Context, k *task) error {
	outcome, err := t.plan.Strategy.Search(ctx, &search.Request{
		Problem:     k.problem,
		Constraints: k.constraints,
		Objective:   t.plan.Objective,
		Evaluator:   t.plan.Evaluator,
		Seeds:       k.seeds(),
		MaxEvals:    t.plan.MaxEvals,
		Seed:        k.seed,
		Top:         t.plan.Top,
		Pareto:      t.plan.Pareto,
		Progress:    func(e search.Event) { t.report.advanced(k, e) },
	})
	cut := ctx.Err() != nil
	if err != nil {
		return unlessEnded(ctx, err)
	}
	return k.accept(&t.plan, outcome, cut)
}

// accept takes over what the strategy found. Where it was cut short, what an
// earlier round found may be better.
func (t *task) accept(p *Plan, outcome search.Outcome, cut bool) error {
	if outcome.Proven {
		if err := t.refute(p.Objective, &outcome); err != nil {
			return err
		}
	}
	t.finished = outcome.Proven || !cut
	previous := t.outcome
	if t.finished {
		previous.Top, previous.Bound = nil, 0
	}
	t.canonical(outcome.Top)
	t.canonical(outcome.Pareto)
	outcome.Top = merge(p.Objective, p.Top, outcome.Top, t.known...)
	outcome.Top = merge(p.Objective, p.Top, outcome.Top, previous.Top...)
	outcome.Bound = max(outcome.Bound, previous.Bound)
	t.outcome = outcome
	return nil
}

// canonical rewrites schedules so that equal ones look equal.
func (t *task) canonical(list []search.Candidate) {
	for i := range list {
		list[i].Schedule = t.rewrite(list[i].Schedule)
	}
}

// rounding is by how much sums of the same figures may differ, relative.
const rounding = 1e-12

// refute checks a proof against the hand-tuned schedules.
func (t *task) refute(o search.Objective, outcome *search.Outcome) error {
	if len(t.known) == 0 {
		return nil
	}
	known := o.Value(&t.known[0].Cost)
	best := outcome.Best()
	if best == nil {
		return fmt.Errorf("%w: it says that nothing fits, one has %s %g", errWorse, o, known)
	}
	if v := o.Value(&best.Cost); known < v*(1-rounding) {
		return fmt.Errorf("%w: %s %g against %g", errWorse, o, v, known)
	}
	return nil
}

// slicer divides what time is left among the tasks of a round that have not
// begun: half of it equally, half by what they can gain.
type slicer struct {
	mu        sync.Mutex
	objective search.Objective
	gains     float64 // of the tasks that have not begun
	tasks     int     // that have not begun
	workers   int
}

func newSlicer(pending []*task, o search.Objective, workers int) *slicer {
	s := &slicer{objective: o, tasks: len(pending), workers: workers}
	for _, k := range pending {
		s.gains += k.gain(o)
	}
	return s
}

// next returns the part of the remaining time that a task gets.
func (s *slicer) next(k *task) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	part := 1 / float64(s.tasks)
	gain := k.gain(s.objective)
	if s.gains > 0 {
		part = (part + gain/s.gains) / 2
	}
	part *= float64(min(s.workers, s.tasks))
	s.tasks--
	s.gains -= gain
	return min(part, 1)
}
