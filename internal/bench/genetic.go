package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models/zoo"
	"github.com/npu-tune/npu-tune/results/table"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/exhaustive"
	evolve "github.com/npu-tune/npu-tune/search/genetic"
	"github.com/npu-tune/npu-tune/space"
)

// race is one genetic search for a proven optimum.
type race struct {
	evaluations int64 // to the optimum; all of them where it was not reached
	reached     bool
	gap         float64 // above the optimum at the end
	seconds     float64
}

// genetic counts the evaluations that the genetic search needs to the proven
// optimum of every pass of ResNet-50 on small.
func genetic(ctx context.Context, c *config) (*table.Table, error) {
	problems, err := resnetProblems(c)
	if err != nil {
		return nil, err
	}
	races := make([][]race, space.NumPasses)
	var (
		mu    sync.Mutex
		group errgroup.Group
	)
	group.SetLimit(c.workers)
	for i := range problems {
		group.Go(func() error {
			list, err := raceAll(ctx, c, &problems[i])
			mu.Lock()
			defer mu.Unlock()
			races[problems[i].Pass] = append(races[problems[i].Pass], list...)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	t := &table.Table{
		Title: "Genetic search to the proven optimum: ResNet-50's passes on small, latency",
		Columns: []table.Column{
			{Title: "pass", Key: "pass"}, {Title: "searches", Key: "searches"},
			{Title: "reached %", Key: "reached", Scale: 0.01, Digits: 1},
			{Title: "evaluations, median", Key: "evaluations_median"},
			{Title: "95 of 100", Key: "evaluations_p95"},
			{Title: "worst", Key: "evaluations_worst"},
			{Title: "worst gap %", Key: "worst_gap", Scale: 0.01, Digits: 3},
			{Title: "evaluations/s", Key: "evaluations_per_second", Digits: 0},
		},
	}
	var all []race
	for pass, list := range races {
		addRaces(t, space.Pass(pass).String(), list)
		all = append(all, list...)
	}
	addRaces(t, "all", all)
	return t, nil
}

func resnetProblems(c *config) ([]space.Problem, error) {
	model, err := zoo.Build("resnet50", zoo.Options{Batch: c.batch})
	if err != nil {
		return nil, err
	}
	npu, err := hardware.Preset("small")
	if err != nil {
		return nil, err
	}
	var problems []space.Problem
	layers, _ := model.Distinct()
	for _, l := range layers {
		gradients := space.Backward
		if l.NoInputGrad {
			gradients = space.DWOnly
		}
		for _, pass := range []space.Pass{space.Forward, gradients} {
			problems = append(problems, space.Problem{Layer: l, HW: npu.Params(), Pass: pass})
		}
	}
	return problems, nil
}

// raceAll proves the optimum of a problem, then searches for it with every
// seed. A problem that cannot be proven within the limit has no races.
func raceAll(ctx context.Context, c *config, p *space.Problem) ([]race, error) {
	limited, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	proof, err := exhaustive.New().Search(limited, &search.Request{Problem: p})
	if err != nil || !proof.Proven || proof.Best() == nil {
		return nil, err
	}
	var list []race
	for seed := range c.seeds {
		if ctx.Err() != nil {
			break
		}
		r, err := raceOnce(ctx, c, p, proof.Best().Cost.Cycles, uint64(seed))
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

func raceOnce(ctx context.Context, c *config, p *space.Problem, optimum float64, seed uint64) (race, error) {
	reaches := func(v float64) bool { return v <= optimum*(1+1e-12) }
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var r race
	start := time.Now()
	out, err := evolve.New().Search(ctx, &search.Request{
		Problem: p, Evaluator: analytic.Evaluator{}, MaxEvals: c.evals, Seed: seed,
		Progress: func(e search.Event) {
			if !r.reached && reaches(e.Best) {
				r.evaluations, r.reached = e.Evaluations, true
				cancel()
			}
		},
	})
	r.seconds = time.Since(start).Seconds()
	if err != nil || r.reached {
		return r, err
	}
	r.evaluations, r.gap = out.Stats.Evaluations, 1
	if best := out.Best(); best != nil {
		r.reached = reaches(best.Cost.Cycles)
		r.gap = best.Cost.Cycles/optimum - 1
	}
	return r, nil
}

func addRaces(t *table.Table, name string, list []race) {
	if len(list) == 0 {
		return
	}
	var (
		evals          []int64
		sum            int64
		reached        float64
		worst, seconds float64
	)
	for _, r := range list {
		evals = append(evals, r.evaluations)
		sum += r.evaluations
		seconds += r.seconds
		worst = max(worst, r.gap)
		if r.reached {
			reached++
		}
	}
	slices.Sort(evals)
	n := len(evals)
	t.Add(name, int64(n), reached/float64(n), evals[n/2], evals[min(n-1, n*95/100)], evals[n-1], worst, float64(sum)/seconds)
}
