package tuner

import (
	"slices"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

// Figures are costs summed over layers, each times its occurrences.
type Figures struct {
	Cycles    float64
	DRAMBytes int64
	DYBytes   int64 // of DRAMBytes, dY's
	EnergyPJ  float64
	MACs      int64
	SPMBytes  int64 // the largest of any layer
	// Objective is the sum of the layers' objectives; of SPM bytes the
	// largest.
	Objective float64
}

// add accounts for one schedule of a layer that occurs count times.
func (f *Figures) add(o search.Objective, c *evaluator.Cost, count int64) {
	dy := c.Traffic[space.GradY]
	f.Cycles += c.Cycles * float64(count)
	f.DRAMBytes += c.DRAMBytes * count
	f.DYBytes += (dy.Read + dy.Write) * count
	f.EnergyPJ += c.EnergyPJ * float64(count)
	f.MACs += c.MACs * count
	f.SPMBytes = max(f.SPMBytes, c.SPMBytes)
	f.Objective = accumulate(o, f.Objective, weigh(o, o.Value(c), count))
}

// Totals compares all layers, or those of some passes, with the hand-tuned
// schedules.
type Totals struct {
	Jobs    int // jobs that it sums
	Missing int // jobs without a schedule, left out of Ours
	Proven  int // jobs whose optimum is proven
	Ours    Figures
	// Bound is what no schedules' Ours.Objective falls below; 0 if it is
	// unknown for all layers.
	Bound float64
	// Baselines are in order of first appearance.
	Baselines []BaselineTotals
}

// Gap returns by which part Ours.Objective exceeds its bound at most; false
// if the bound is unknown.
func (t *Totals) Gap() (float64, bool) { return Gap(t.Ours.Objective, t.Bound) }

// BaselineTotals sums one hand-tuned schedule over the jobs that it has one
// for.
type BaselineTotals struct {
	Name    string
	Jobs    int // jobs that it sums
	Missing int // jobs for which it has no schedule that fits
	Proven  bool
	Figures Figures
	// Ours sums the tuned schedules over the same jobs.
	Ours Figures
}

// Totals sums the jobs of the given passes, of all if none are given.
func (r *Result) Totals(passes ...space.Pass) Totals {
	var (
		t     Totals
		index = map[string]int{}
		o     = r.Plan.Objective
	)
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if len(passes) > 0 && !slices.Contains(passes, j.Pass) {
			continue
		}
		t.addJob(o, j)
		for b := range j.Baselines {
			base := &j.Baselines[b]
			at, ok := index[base.Name]
			if !ok {
				at = len(t.Baselines)
				index[base.Name] = at
				t.Baselines = append(t.Baselines, BaselineTotals{Name: base.Name, Proven: true})
			}
			t.Baselines[at].add(o, j, base)
		}
	}
	return t
}

func (t *Totals) addJob(o search.Objective, j *Job) {
	t.Jobs++
	if j.Outcome.Proven {
		t.Proven++
	}
	if best := j.Best(); best != nil {
		t.Ours.add(o, &best.Cost, j.Layer.Occurrences())
	} else {
		t.Missing++
	}
	t.Bound = accumulate(o, t.Bound, weigh(o, j.Outcome.Bound, j.Layer.Occurrences()))
}

func (b *BaselineTotals) add(o search.Objective, j *Job, base *Baseline) {
	b.Proven = b.Proven && base.Proven
	if base.Best == nil {
		b.Missing++
		return
	}
	b.Jobs++
	count := j.Layer.Occurrences()
	b.Figures.add(o, &base.Best.Cost, count)
	if best := j.Best(); best != nil {
		b.Ours.add(o, &best.Cost, count)
	}
}
