package genetic

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/exhaustive"
	"github.com/npu-tune/npu-tune/space"
)

// spy counts what reaches the evaluator, checks it, and can break off.
type spy struct {
	space  *space.Space
	count  int64
	limit  int64 // of schedules until stop is called; 0: none
	stop   func()
	err    error // returned beyond the limit
	strays []error
}

func (*spy) Name() string { return "spy" }

func (s *spy) Evaluate(ctx context.Context, p *space.Problem, schedules []space.Schedule, results []evaluator.Result) error {
	s.count += int64(len(schedules))
	if s.space != nil {
		for i := range schedules {
			if err := s.space.Allows(&schedules[i]); err != nil {
				s.strays = append(s.strays, err)
			}
		}
	}
	if s.limit > 0 && s.count > s.limit {
		if s.stop != nil {
			s.stop()
		}
		if s.err != nil {
			return s.err
		}
	}
	return analytic.Evaluator{}.Evaluate(ctx, p, schedules, results)
}

func TestReachesTheProvenOptimum(t *testing.T) {
	for _, p := range []*space.Problem{
		gemm(space.Forward, 784, 256, 1024, 1<<20),
		gemm(space.DWOnly, 784, 256, 1024, 1<<18),
		gemm(space.Backward, 196, 256, 100, 1<<18),
	} {
		for _, objective := range []search.Objective{search.Latency, search.Traffic} {
			t.Run(fmt.Sprint(p.Pass, objective), func(t *testing.T) {
				proof, err := exhaustive.New().Search(t.Context(), &search.Request{Problem: p, Objective: objective})
				if err != nil || !proof.Proven {
					t.Fatalf("no proof: %v", err)
				}
				found, err := New().Search(t.Context(), &search.Request{
					Problem: p, Objective: objective, Evaluator: analytic.Evaluator{}, MaxEvals: 20_000, Seed: 1,
				})
				if err != nil {
					t.Fatal(err)
				}
				optimum, best := objective.Value(&proof.Best().Cost), objective.Value(&found.Best().Cost)
				switch gap := best/optimum - 1; {
				case gap < -1e-12:
					t.Errorf("%s %g is better than the proven optimum %g", objective, best, optimum)
				case gap > 0.02:
					t.Errorf("%s %g is %.2g above the optimum %g, want at most 0.02", objective, best, gap, optimum)
				}
			})
		}
	}
}

func TestSameSeedSameOutcome(t *testing.T) {
	run := func(seed uint64) search.Outcome {
		o, err := New().Search(t.Context(), &search.Request{
			Problem: gemm(space.Backward, 196, 512, 300, 1<<19), Evaluator: analytic.Evaluator{},
			MaxEvals: 5000, Seed: seed, Top: 5, Pareto: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	a, b := run(7), run(7)
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("two runs with one seed differ:\n%s", diff)
	}
	if len(a.Top) != 5 || len(a.Pareto) == 0 || a.Proven {
		t.Errorf("%d best, %d on the front, proven %v; want 5, some, false", len(a.Top), len(a.Pareto), a.Proven)
	}
	if cmp.Equal(a.Top, run(8).Top) {
		t.Error("another seed finds the same five schedules, want other choices")
	}
	for i := 1; i < len(a.Top); i++ {
		if search.Latency.Compare(&a.Top[i-1].Cost, &a.Top[i].Cost) > 0 || slices.Contains(a.Top[:i], a.Top[i]) {
			t.Errorf("best %d is out of order or a duplicate", i)
		}
	}
}

func TestMaxEvalsCountsWhatIsCosted(t *testing.T) {
	for _, limit := range []int64{1, 99, 100, 1234} {
		s := &spy{}
		o, err := New().Search(t.Context(), &search.Request{
			Problem: gemm(space.Backward, 100, 100, 100, 1<<16), Evaluator: s, MaxEvals: limit,
		})
		if err != nil {
			t.Fatal(err)
		}
		if s.count != limit || o.Stats.Evaluations != limit {
			t.Errorf("%d schedules were costed and %d reported, want %d", s.count, o.Stats.Evaluations, limit)
		}
	}
}

func TestAnswerIsNeverWorseThanASeed(t *testing.T) {
	p := gemm(space.Backward, 784, 1024, 512, 1<<20)
	known, err := New().Search(t.Context(), &search.Request{Problem: p, Evaluator: analytic.Evaluator{}, MaxEvals: 3000})
	if err != nil {
		t.Fatal(err)
	}
	seed := known.Best()
	o, err := New().Search(t.Context(), &search.Request{
		Problem: p, Evaluator: analytic.Evaluator{}, Seeds: []space.Schedule{seed.Schedule}, MaxEvals: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if best := o.Best(); best == nil || best.Cost.Cycles > seed.Cost.Cycles {
		t.Errorf("after one evaluation the best is %+v, want the seed of %g cycles", best, seed.Cost.Cycles)
	}
}

func TestCancelLeavesTheBestSoFar(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := &spy{limit: 3000, stop: cancel}
	o, err := New().Search(ctx, &search.Request{Problem: gemm(space.Backward, 784, 1024, 512, 1<<20), Evaluator: s})
	if err != nil {
		t.Fatalf("a cancelled search fails: %v, want the best so far", err)
	}
	if o.Best() == nil || o.Proven {
		t.Errorf("best %v, proven %v; want a schedule, unproven", o.Best(), o.Proven)
	}
	if s.count > s.limit+200 {
		t.Errorf("%d schedules reached the evaluator after the context ended", s.count-s.limit)
	}
}

func TestEvaluatorErrorEndsTheSearch(t *testing.T) {
	broken := errors.New("broken")
	_, err := New().Search(t.Context(), &search.Request{
		Problem: gemm(space.Forward, 784, 1024, 512, 1<<20), Evaluator: &spy{limit: 500, err: broken},
	})
	if !errors.Is(err, broken) {
		t.Errorf("error is %v, want the evaluator's", err)
	}
}

func TestConstraintsHold(t *testing.T) {
	p := gemm(space.Backward, 90, 120, 75, 1<<16)
	c := space.Constraints{Shared: 1<<0 | 1<<3, MaxBurst: 2, ReservedSPMBytes: 1 << 12}
	c.Ops[space.DX].Orders = []space.Order{{space.M, space.N, space.K}, {space.K, space.N, space.M}}
	c.Ops[space.DX].Dataflows = []hardware.Dataflow{hardware.WS}
	c.Ops[space.DW].TileMultiple[space.N] = 8
	c.Ops[space.DW].TileMax[space.M] = 30
	sp, err := space.NewSpace(p, c)
	if err != nil {
		t.Fatal(err)
	}
	s := &spy{space: sp}
	o, err := New().Search(t.Context(), &search.Request{Problem: p, Constraints: c, Evaluator: s, MaxEvals: 4000})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.strays) > 0 {
		t.Errorf("%d of %d schedules break the constraints, say: %v", len(s.strays), s.count, s.strays[0])
	}
	f := p.Footprint(&o.Best().Schedule)
	if f.Over(c.ReservedSPMBytes) > 0 {
		t.Errorf("the best takes %d bytes, %d of %d are reserved", f.SPMBytes(), c.ReservedSPMBytes, p.HW.SPMBytes())
	}
}

func TestEndsByItself(t *testing.T) {
	for _, c := range []struct {
		name string
		p    *space.Problem
		fits bool
	}{
		{"a single schedule's worth of space", gemm(space.Forward, 1, 1, 1, 1<<10), true},
		{"nothing fits", gemm(space.Backward, 5, 5, 5, 3), false},
	} {
		o, err := New().Search(t.Context(), &search.Request{Problem: c.p, Evaluator: analytic.Evaluator{}})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if (o.Best() != nil) != c.fits || o.Proven {
			t.Errorf("%s: best %v, proven %v", c.name, o.Best(), o.Proven)
		}
	}
}

func TestImpossibleConstraintsAreAnError(t *testing.T) {
	c := space.Constraints{}
	c.Ops[space.Fwd].TileMultiple[space.M], c.Ops[space.Fwd].TileMax[space.M] = 8, 4
	_, err := New().Search(t.Context(), &search.Request{
		Problem: gemm(space.Forward, 100, 10, 10, 1<<16), Constraints: c, Evaluator: analytic.Evaluator{},
	})
	if !errors.Is(err, space.ErrEmpty) {
		t.Errorf("error is %v, want one that wraps space.ErrEmpty", err)
	}
}

func TestProgressNeverWorsens(t *testing.T) {
	last := search.Event{Best: math.Inf(1)}
	_, err := New().Search(t.Context(), &search.Request{
		Problem: gemm(space.Forward, 784, 1024, 512, 1<<20), Evaluator: analytic.Evaluator{}, MaxEvals: 2000,
		Progress: func(e search.Event) {
			if e.Evaluations <= last.Evaluations || e.Best > last.Best {
				t.Errorf("%+v follows %+v", e, last)
			}
			last = e
		},
	})
	if err != nil || last.Evaluations != 2000 {
		t.Errorf("the last event says %d evaluations (error %v), want 2000", last.Evaluations, err)
	}
}

// BenchmarkSearch reports what one costed schedule takes with all that the
// strategy does for it.
func BenchmarkSearch(b *testing.B) {
	for _, pass := range []space.Pass{space.Forward, space.Backward} {
		b.Run(pass.String(), func(b *testing.B) {
			b.ReportAllocs()
			_, err := New().Search(b.Context(), &search.Request{
				Problem: gemm(pass, 784, 1024, 512, 1<<20), Evaluator: analytic.Evaluator{}, MaxEvals: int64(max(b.N, 2)),
			})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "schedules/s")
		})
	}
}
