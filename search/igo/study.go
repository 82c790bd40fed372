package igo

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// Plan is what Run is asked. The zero value asks for the whole study.
type Plan struct {
	NPUs     []string // of Small and Large; empty: both
	Cores    []int64  // of the large NPU; empty: 1, 2, 4 and 8
	Networks []string // of NetworkNames; empty: all
	NoSweeps bool     // leave out other bandwidths and batches
	Workers  int      // 0: one per CPU; changes nothing but the time
	// Progress, if not nil, is told how many of all layers are done. Calls
	// never overlap.
	Progress func(done, all int)
}

// ErrPlan is wrapped by errors about a plan.
var ErrPlan = errors.New("invalid study")

// settings lists what is to be run.
func (p *Plan) settings() ([]Setting, error) {
	var list []Setting
	var errs []error
	add := func(npu string, cores, batch int64, bandwidth float64, sweep Sweep) {
		s, err := newSetting(npu, cores, batch, bandwidth, sweep)
		if err != nil {
			errs = append(errs, fmt.Errorf("%w: %w", ErrPlan, err))
		}
		list = append(list, s)
	}
	npus, cores := p.NPUs, p.Cores
	if len(npus) == 0 {
		npus = []string{Small, Large}
	}
	if len(cores) == 0 {
		cores = []int64{1, 2, 4, 8}
	}
	const smallBatch, coreBatch = 4, 8
	for _, npu := range npus {
		switch npu {
		case Small: // it has one core
			add(Small, 1, smallBatch, 1, Main)
		case Large:
			for _, c := range cores {
				add(Large, c, coreBatch*c, 1, Main)
			}
			if p.NoSweeps || !slices.Contains(cores, 1) {
				continue
			}
			for _, part := range []float64{0.5, 0.25} {
				add(Large, 1, coreBatch, part, BandwidthSweep)
			}
			for _, times := range []int64{2, 4} {
				add(Large, 1, times*coreBatch, 1, BatchSweep)
			}
		default:
			errs = append(errs, fmt.Errorf("%w: NPU %q, want %s or %s", ErrPlan, npu, Small, Large))
		}
	}
	return list, errors.Join(errs...)
}

// identity is what makes layers of one setting equal.
type identity struct {
	m, n, k, batch int64
	conv           models.Conv
	pass           space.Pass
}

// passes are the passes of a network: indexes of layers, and how often each
// occurs.
type passes struct {
	name, zoo string
	layers    map[int]int64
	order     []int
}

// run is a setting being studied.
type run struct {
	setting  Setting
	problems []*space.Problem
	found    []*Layer // nil: not done
	networks []passes
}

func newRun(s Setting, names []string) (*run, error) {
	r := &run{setting: s}
	known := map[identity]int{}
	for _, n := range networks() {
		if len(names) > 0 && !slices.Contains(names, n.name) {
			continue
		}
		model, err := n.build(&s)
		if err != nil {
			return nil, err
		}
		p := passes{name: n.name, zoo: n.zoo(s.NPU), layers: map[int]int64{}}
		for _, l := range model.Layers {
			for _, pass := range passesOf(&l) {
				i := r.index(known, l, pass)
				if p.layers[i] == 0 {
					p.order = append(p.order, i)
				}
				p.layers[i] += l.Occurrences()
			}
		}
		r.networks = append(r.networks, p)
	}
	r.found = make([]*Layer, len(r.problems))
	return r, nil
}

func passesOf(l *models.Layer) []space.Pass {
	if l.NoInputGrad {
		return []space.Pass{space.Forward, space.DWOnly}
	}
	return []space.Pass{space.Forward, space.Backward}
}

// index returns where the problem stands in the run, which may be new.
func (r *run) index(known map[identity]int, l models.Layer, pass space.Pass) int {
	id := identity{m: l.M, n: l.N, k: l.K, batch: l.Batches(), pass: pass}
	if l.Conv != nil {
		id.conv = *l.Conv
	}
	i, ok := known[id]
	if !ok {
		i = len(r.problems)
		known[id] = i
		r.problems = append(r.problems, &space.Problem{Layer: l, HW: r.setting.params, Pass: pass})
	}
	return i
}

// Run runs a study. When ctx ends it returns what is done, marked partial,
// and no error. For an unfinished context the study depends on the plan alone.
func Run(ctx context.Context, plan Plan) (*Study, error) {
	paper, err := ReadPaper()
	if err != nil {
		return nil, err
	}
	for _, n := range plan.Networks {
		if !slices.Contains(NetworkNames(), n) {
			return nil, fmt.Errorf("%w: network %q, want some of %v", ErrPlan, n, NetworkNames())
		}
	}
	settings, err := plan.settings()
	if err != nil {
		return nil, err
	}
	var runs []*run
	all := 0
	for _, s := range settings {
		r, err := newRun(s, plan.Networks)
		if err != nil {
			return nil, err
		}
		runs, all = append(runs, r), all+len(r.problems)
	}
	if err := runAll(ctx, plan, runs, all); err != nil {
		return nil, err
	}
	return newStudy(paper, runs, ctx.Err() != nil), nil
}

// runAll studies all layers of all settings, several at a time.
func runAll(ctx context.Context, plan Plan, runs []*run, all int) error {
	workers := plan.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var mu sync.Mutex
	done := 0
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for _, r := range runs {
		for i, p := range r.problems {
			group.Go(func() error {
				if inner.Err() != nil {
					return nil
				}
				l, err := studyLayer(inner, p, r.setting.detailed())
				if err != nil {
					if inner.Err() != nil {
						return nil
					}
					return fmt.Errorf("%s: %w", &r.setting, err)
				}
				r.found[i] = l
				mu.Lock()
				defer mu.Unlock()
				done++
				if plan.Progress != nil {
					plan.Progress(done, all)
				}
				return nil
			})
		}
	}
	return group.Wait()
}
