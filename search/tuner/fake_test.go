package tuner

import (
	"context"
	"maps"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
	"github.com/npu-tune/npu-tune/space/handtuned"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sleeper is a strategy that needs a time per layer to prove what it was
// seeded with.
type sleeper struct {
	needs map[string]time.Duration // by layer name

	mu    sync.Mutex
	spent map[string][]time.Duration
}

func (*sleeper) Name() string { return "sleeper" }

func (s *sleeper) Search(ctx context.Context, r *search.Request) (search.Outcome, error) {
	start := time.Now()
	o := search.Outcome{Strategy: "sleeper"}
	select {
	case <-ctx.Done():
	case <-time.After(s.needs[r.Problem.Layer.Name]):
		o.Proven = true
	}
	s.mu.Lock()
	if s.spent == nil {
		s.spent = map[string][]time.Duration{}
	}
	s.spent[r.Problem.Layer.Name] = append(s.spent[r.Problem.Layer.Name], time.Since(start))
	s.mu.Unlock()
	for _, seed := range r.Seeds {
		var c search.Candidate
		c.Schedule = seed
		analytic.New(r.Problem).Cost(&seed, &c.Cost)
		o.Top = append(o.Top, c)
		break
	}
	return o, nil
}

func (s *sleeper) total() map[string]time.Duration {
	sum := map[string]time.Duration{}
	for name, list := range maps.All(s.spent) {
		for _, d := range list {
			sum[name] += d
		}
	}
	return sum
}

// liar claims that the smallest schedule is the optimum.
type liar struct{}

func (liar) Name() string { return "liar" }

func (liar) Search(_ context.Context, r *search.Request) (search.Outcome, error) {
	c := search.Candidate{Schedule: r.Problem.Smallest()}
	analytic.New(r.Problem).Cost(&c.Schedule, &c.Cost)
	return search.Outcome{Strategy: "liar", Top: []search.Candidate{c}, Proven: true}, nil
}

// partial reports events of half the problem, then searches.
type partial struct{}

func (partial) Name() string { return "partial" }

func (partial) Search(ctx context.Context, r *search.Request) (search.Outcome, error) {
	var c search.Candidate
	c.Schedule = r.Problem.Smallest()
	analytic.New(r.Problem).Cost(&c.Schedule, &c.Cost)
	for range 3 {
		r.Progress(search.Event{Best: 1, Bound: 0.5})
		r.Progress(search.Event{Best: 2, Bound: 3})
		r.Progress(search.Event{Best: c.Cost.Cycles, Bound: 2 * c.Cost.Cycles})
		time.Sleep(throttle)
	}
	return search.Outcome{Strategy: "partial", Top: []search.Candidate{c}}, nil
}

// counter counts a strategy's searches.
type counter struct {
	search.Strategy
	mu    sync.Mutex
	calls int
}

func (c *counter) Search(ctx context.Context, r *search.Request) (search.Outcome, error) {
	c.mu.Lock()
	c.calls++
	c.mu.Unlock()
	return c.Strategy.Search(ctx, r)
}

// other is an evaluator that is not the analytic one.
type other struct{}

func (other) Name() string { return "other" }

func (other) Evaluate(ctx context.Context, p *space.Problem, s []space.Schedule, r []evaluator.Result) error {
	return analytic.Evaluator{}.Evaluate(ctx, p, s, r)
}

func noBaselines(*space.Problem) []handtuned.Baseline { return nil }
