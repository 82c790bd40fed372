package tuner

import (
	"time"

	"github.com/npu-tune/npu-tune/search"
)

// Result is what Tune found: the jobs in model order, forward before
// backward.
type Result struct {
	Plan Plan // with defaults filled in
	Jobs []Job
	// Interrupted says that the context ended before all jobs did.
	Interrupted bool
	// Timing is the one part of a result that differs from run to run.
	Timing Timing
}

// Timing says how long a run took and how fast it went.
type Timing struct {
	Elapsed     time.Duration
	Evaluations int64 // exact evaluations of all searches, baselines included
}

// Proven reports whether every job's optimum is proven.
func (r *Result) Proven() bool {
	for i := range r.Jobs {
		if !r.Jobs[i].Outcome.Proven {
			return false
		}
	}
	return true
}

// result copies what the tasks found to their jobs.
func (t *tuning) result(elapsed time.Duration) *Result {
	r := &Result{Plan: t.plan, Jobs: t.jobs, Timing: Timing{Elapsed: elapsed}}
	for _, k := range t.tasks {
		r.Interrupted = r.Interrupted || !k.finished || k.insights.cut
		r.Timing.Evaluations += k.extra + k.outcome.Stats.Evaluations
		for _, i := range k.jobs {
			j := &r.Jobs[i]
			j.Outcome = k.outcome
			j.Baselines = t.reported(k)
			j.Variants, j.Interleaved = k.insights.variants, k.insights.interleaved
			j.Interrupted = !k.finished || k.insights.cut
		}
	}
	return r
}

// reported returns a task's baselines: all, or the fixed ones where the plan
// asks for no more.
func (t *tuning) reported(k *task) []Baseline {
	var list []Baseline
	for _, b := range k.baselines {
		if b.Fixed || t.plan.Baselines {
			list = append(list, k.marked(b))
		}
	}
	return list
}

// Gap returns by which part of itself a value exceeds its lower bound at most:
// 0 if they are equal, false if the bound is unknown.
func Gap(value, bound float64) (float64, bool) {
	if bound <= 0 || value <= 0 {
		return 0, false
	}
	return max(0, (value-bound)/value), true
}

// weigh multiplies a figure by how often its layer occurs; SPM bytes are in
// use one layer at a time.
func weigh(o search.Objective, v float64, count int64) float64 {
	if o == search.SPM {
		return v
	}
	return v * float64(count)
}

// accumulate adds a weighted figure to a total; SPM bytes are in use one layer
// at a time.
func accumulate(o search.Objective, total, v float64) float64 {
	if o == search.SPM {
		return max(total, v)
	}
	return total + v
}
