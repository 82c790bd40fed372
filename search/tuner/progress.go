package tuner

import (
	"math"
	"sync"
	"time"

	"github.com/npu-tune/npu-tune/evaluator/bound"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

// throttle is the least time between two reports of mere advance.
const throttle = 100 * time.Millisecond

// State says why a Progress is reported.
type State uint8

// The states of a job.
const (
	Started  State = iota // a job began, or begins again with more time
	Advanced              // a job goes on; at most ten a second are reported
	Ended                 // a job came to its end, or to that of its time
)

// Progress is how far a run has come, and the job that moved last. Jobs with
// equal problems move together.
type Progress struct {
	Elapsed              time.Duration
	Jobs, Done, Proven   int // Done: came to their end, with a proof or not
	Evaluations          int64
	EvaluationsPerSecond float64
	// Best and Bound are the objective of all jobs, weighted by their count;
	// Best is +Inf unless every job has a schedule.
	Best, Bound float64

	State State
	Job   JobProgress
}

// Gap returns by which part Best exceeds Bound at most; false if that is
// unknown.
func (p *Progress) Gap() (float64, bool) {
	if math.IsInf(p.Best, 1) {
		return 0, false
	}
	return Gap(p.Best, p.Bound)
}

// JobProgress is how far one job has come.
type JobProgress struct {
	Index       int // in Result.Jobs; the first of those with equal problems
	Layer       string
	Pass        space.Pass
	Count       int64 // occurrences, of all jobs with equal problems
	Evaluations int64
	// Best and Bound are the objective of one occurrence; Best is +Inf if there
	// is none, Bound at least what the problem's sizes tell before any search.
	Best, Bound float64
	Proven      bool
}

// reporter tells Plan.Progress how far the tasks have come.
type reporter struct {
	plan  *Plan
	start time.Time

	mu     sync.Mutex
	states map[*task]*taskState
	order  []*task
	last   time.Time
}

type taskState struct {
	job   JobProgress
	base  int64   // evaluations before the current search
	floor float64 // a bound that needs no search
	jobs  int
	done  bool
}

// newReporter begins with what is known of the tasks before any search: their
// hand-tuned schedules.
func newReporter(p *Plan, tasks []*task, start time.Time) *reporter {
	r := &reporter{plan: p, start: start, order: tasks, states: map[*task]*taskState{}}
	if p.Progress == nil {
		return r
	}
	for _, k := range tasks {
		least := floor(p, k)
		r.states[k] = &taskState{jobs: len(k.jobs), floor: least, job: JobProgress{
			Index: k.jobs[0], Layer: k.problem.Layer.Name, Pass: k.problem.Pass, Count: k.count, Best: math.Inf(1),
			Bound: least, Evaluations: k.extra,
		}}
		if best := k.outcome.Best(); best != nil {
			r.states[k].job.Best = p.Objective.Value(&best.Cost)
		}
	}
	return r
}

// started reports that a task begins.
func (r *reporter) started(k *task) {
	r.update(k, Started, func(s *taskState) {})
}

// floor is what no schedule of a task falls below, whatever the search. Bounds
// hold for the analytic evaluator's costs.
func floor(p *Plan, k *task) float64 {
	if !isAnalytic(p.Evaluator) {
		return 0
	}
	b := bound.For(k.problem)
	switch p.Objective {
	case search.Traffic:
		return float64(b.IOBytes)
	case search.Energy:
		return b.EnergyPJ
	case search.EDP:
		return b.EDP()
	case search.SPM:
		return float64(b.SPMBytes)
	}
	return b.Cycles
}

// advanced reports an event of a task's strategy. While a strategy deals with
// a part of the problem, one gradient alone, its figures may be that part's:
// what contradicts what is known is not believed.
func (r *reporter) advanced(k *task, e search.Event) {
	r.update(k, Advanced, func(s *taskState) {
		s.job.Evaluations = s.base + k.extra + e.Evaluations
		if e.Best < s.job.Bound*(1-rounding) || e.Best < e.Bound {
			return
		}
		s.job.Best = min(s.job.Best, e.Best)
		s.job.Bound = max(s.job.Bound, min(e.Bound, s.job.Best))
	})
}

// ended reports that a task's search returned.
func (r *reporter) ended(k *task) {
	r.update(k, Ended, func(s *taskState) {
		s.job.Bound = k.outcome.Bound // the strategy's last word
		if !k.outcome.Proven {
			s.job.Bound = max(s.job.Bound, s.floor)
		}
		if best := k.outcome.Best(); best != nil {
			s.job.Best = r.plan.Objective.Value(&best.Cost)
		}
		s.job.Proven = k.outcome.Proven
		s.done = k.finished
		s.base += k.outcome.Stats.Evaluations
		s.job.Evaluations = s.base + k.extra
	})
}

func (r *reporter) update(k *task, state State, change func(*taskState)) {
	if r.plan.Progress == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.states[k]
	if best := k.outcome.Best(); best != nil {
		s.job.Best = min(s.job.Best, r.plan.Objective.Value(&best.Cost))
	}
	change(s)
	now := time.Now()
	if state == Advanced && now.Sub(r.last) < throttle {
		return
	}
	r.last = now
	r.plan.Progress(r.sum(now, state, s))
}

// sum adds up all tasks.
func (r *reporter) sum(now time.Time, state State, moved *taskState) Progress {
	p := Progress{Elapsed: now.Sub(r.start), State: state, Job: moved.job}
	for _, k := range r.order {
		s := r.states[k]
		p.Jobs += s.jobs
		if s.done {
			p.Done += s.jobs
		}
		if s.job.Proven {
			p.Proven += s.jobs
		}
		p.Evaluations += s.job.Evaluations
		p.Best = accumulate(r.plan.Objective, p.Best, weigh(r.plan.Objective, s.job.Best, s.job.Count))
		p.Bound = accumulate(r.plan.Objective, p.Bound, weigh(r.plan.Objective, s.job.Bound, s.job.Count))
	}
	if seconds := p.Elapsed.Seconds(); seconds > 0 {
		p.EvaluationsPerSecond = float64(p.Evaluations) / seconds
	}
	return p
}
