package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/tuner"
)

// progress draws a bar for the run and a line for each job that is being
// tuned, where the output is a terminal; elsewhere it does nothing.
type progress struct {
	goal   search.Objective
	budget time.Duration
	bars   *mpb.Progress // nil: no terminal

	mu   sync.Mutex
	last tuner.Progress
	all  *mpb.Bar
	jobs map[int]*jobBar
}

// jobBar is the line of one job. Its state is guarded by progress.mu.
type jobBar struct {
	bar  *mpb.Bar
	last tuner.JobProgress
}

func newProgress(w io.Writer, goal search.Objective, budget time.Duration) *progress {
	p := &progress{goal: goal, budget: budget, jobs: map[int]*jobBar{}}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bars = mpb.New(mpb.WithOutput(f), mpb.WithWidth(30))
	}
	return p
}

// update takes the tuner's report.
func (p *progress) update(e tuner.Progress) {
	if p.bars == nil {
		return
	}
	p.mu.Lock()
	p.last = e
	p.mu.Unlock()
	if p.all == nil {
		p.all = p.bars.AddBar(int64(e.Jobs), mpb.BarPriority(math.MaxInt32),
			mpb.PrependDecorators(decor.Name("all passes ")), mpb.AppendDecorators(decor.Any(p.describeAll)))
	}
	p.all.SetCurrent(int64(e.Done))
	p.updateJob(e)
}

// updateJob adds, changes or removes the line of the job that moved.
func (p *progress) updateJob(e tuner.Progress) {
	p.mu.Lock()
	job := p.jobs[e.Job.Index]
	if job != nil {
		job.last = e.Job
	}
	p.mu.Unlock()
	switch {
	case e.State == tuner.Ended && job != nil:
		job.bar.Abort(true)
		delete(p.jobs, e.Job.Index)
	case e.State != tuner.Ended && job == nil:
		job = &jobBar{last: e.Job}
		job.bar = p.bars.New(0, mpb.NopStyle(), mpb.BarPriority(e.Job.Index),
			mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return p.describeJob(job) })))
		p.jobs[e.Job.Index] = job
	}
}

// stop takes the bars away, whether or not the run came to its end.
func (p *progress) stop() {
	if p.bars == nil {
		return
	}
	for _, job := range p.jobs {
		job.bar.Abort(true)
	}
	if p.all != nil {
		p.all.Abort(true)
	}
	p.bars.Wait()
}

func (p *progress) describeAll(decor.Statistics) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := &p.last
	left := max(0, p.budget-e.Elapsed)
	return fmt.Sprintf(" %d/%d done, %d proven, %s evaluations/s, %s, at most %s left", e.Done, e.Jobs, e.Proven,
		short(e.EvaluationsPerSecond), p.standing(e.Best, e.Bound), left.Round(time.Second))
}

func (p *progress) describeJob(job *jobBar) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := &job.last
	return fmt.Sprintf("  %s %s ×%d: %s evaluations, %s", e.Layer, e.Pass, e.Count, short(float64(e.Evaluations)), p.standing(e.Best, e.Bound))
}

// standing says how good the best is, as far as is known.
func (p *progress) standing(best, bound float64) string {
	if math.IsInf(best, 1) {
		return "nothing found yet"
	}
	s := fmt.Sprintf("best %s %s", short(best), p.goal.Unit())
	if g, ok := tuner.Gap(best, bound); ok {
		s += fmt.Sprintf(", bound %s, gap ≤ %.2f %%", short(bound), 100*g)
	}
	return s
}

// short writes a figure with three digits and a unit prefix.
func short(v float64) string {
	for _, unit := range []struct {
		scale  float64
		prefix string
	}{{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
		if v >= unit.scale {
			return fmt.Sprintf("%.3g%s", v/unit.scale, unit.prefix)
		}
	}
	return fmt.Sprintf("%.3g", v)
}
