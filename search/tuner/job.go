package tuner

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
	"github.com/npu-tune/npu-tune/space/handtuned"
)

// Job is one pass of one distinct layer of the model, and what was found.
type Job struct {
	// Layer is the first of its kind; its Count is the sum over all.
	Layer models.Layer
	// Members are the indexes in Plan.Model.Layers that it stands for.
	Members []int
	Pass    space.Pass
	Problem *space.Problem
	// Outcome holds the best schedules: the strategy's and the hand-tuned
	// ones, whichever are better.
	Outcome   search.Outcome
	Baselines []Baseline
	// Variants are the optima on other hardware, where the plan asks for them.
	Variants []Variant
	// Interleaved is the best with shared loops, where the plan asks for
	// explanations and Best is sequential; else nil.
	Interleaved *search.Outcome
	// Interrupted says that the budget ended before the job did.
	Interrupted bool
}

// Best returns the job's best schedule, or nil if none fits.
func (j *Job) Best() *search.Candidate { return j.Outcome.Best() }

// Name returns the layer's name and the pass.
func (j *Job) Name() string { return jobName(j.Layer, j.Pass) }

func jobName(l models.Layer, p space.Pass) string { return l.Name + " " + p.String() }

// Baseline is what a hand-tuned schedule, or the best member of a family of
// them, costs.
type Baseline struct {
	Name        string
	Description string
	// Best is nil where nothing that fits was found; Reason says why.
	Best   *search.Candidate
	Reason string
	// Fixed says that the baseline is one schedule, not a family.
	Fixed bool
	// Proven says that Best is the best member of its family (or that none
	// fits). A fixed schedule is the only member of its own.
	Proven bool
	// Breaks says which of the plan's constraints Best breaks; empty if none.
	Breaks string
}

// task is a problem to solve; jobs with equal problems share one.
type task struct {
	problem *space.Problem
	// constraints restrict the strategy, not the hand-tuned schedules.
	constraints space.Constraints
	name        string
	count       int64 // occurrences of all its jobs
	jobs        []int // indexes in Result.Jobs
	seed        uint64

	handtuned []handtuned.Baseline
	baselines []Baseline         // of handtuned, by index
	families  []*family          // the distinct ones of handtuned
	known     []search.Candidate // hand-tuned ones that fit, and the smallest
	outcome   search.Outcome
	finished  bool  // the strategy came to its end
	extra     int64 // evaluations outside the strategy
	insights  insights
}

// seeds returns the schedules that a strategy's answer must not be worse than.
func (t *task) seeds() []space.Schedule {
	seeds := make([]space.Schedule, len(t.known))
	for i := range t.known {
		seeds[i] = t.known[i].Schedule
	}
	return seeds
}

// learn notes a hand-tuned schedule that fits and breaks no constraint.
func (t *task) learn(p *Plan, c search.Candidate) {
	if len(t.permitted([]search.Candidate{c})) == 0 {
		return
	}
	c.Schedule = t.rewrite(c.Schedule)
	t.known = merge(p.Objective, len(t.known)+1, t.known, c)
	t.outcome.Top = merge(p.Objective, p.Top, t.outcome.Top, c)
}

// merge returns the best n distinct candidates of best and others, best first.
func merge(o search.Objective, n int, best []search.Candidate, others ...search.Candidate) []search.Candidate {
	all := slices.Clone(best)
	for _, c := range others {
		if !slices.ContainsFunc(all, func(a search.Candidate) bool { return a.Schedule == c.Schedule }) {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b search.Candidate) int { return o.Compare(&a.Cost, &b.Cost) })
	return all[:min(n, len(all))]
}

// identity is what makes problems of one NPU equal.
type identity struct {
	m, n, k, batch int64
	conv           models.Conv
	pass           space.Pass
}

func identify(l models.Layer, p space.Pass) identity {
	id := identity{m: l.M, n: l.N, k: l.K, batch: l.Batches(), pass: p}
	if l.Conv != nil {
		id.conv = *l.Conv
	}
	return id
}

// deriveSeed mixes the run's seed with the problem, so that a job's choices
// depend neither on its position in the model nor on other jobs.
func deriveSeed(seed uint64, id identity) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, seed, id)
	return h.Sum64()
}

// makeJobs lists the jobs of a plan in model order, and the distinct tasks
// behind them. The error joins those of all layers.
func makeJobs(p *Plan) ([]Job, []*task, error) {
	var (
		jobs  []Job
		tasks []*task
		errs  []error
		known = map[[2]any]*task{}
	)
	layers, members := p.distinct()
	for i, l := range layers {
		for _, pass := range p.Passes.Of(l) {
			problem := &space.Problem{Layer: l, HW: p.HW, Pass: pass}
			if err := problem.Check(); err != nil {
				errs = append(errs, err)
				break // the layer's other pass has the same dimensions
			}
			id := identify(l, pass)
			key := [2]any{id, p.rulesOf(l, pass)}
			t := known[key]
			if t == nil {
				t = &task{problem: problem, name: jobName(l, pass), seed: deriveSeed(p.Seed, id), constraints: p.constraintsOf(l, pass)}
				known[key] = t
				tasks = append(tasks, t)
			}
			t.jobs = append(t.jobs, len(jobs))
			t.count += l.Count
			jobs = append(jobs, Job{Layer: l, Members: members[i], Pass: pass, Problem: problem})
		}
	}
	return jobs, tasks, errors.Join(errs...)
}
