package results

import (
	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

// Ours is the name of the best schedules found, among the names of baselines.
const Ours = "ours"

// Total adds up one choice of schedules over all layers, each weighted by its
// count: the best found, or what one way to tune by hand gives.
type Total struct {
	Pass     string `json:"pass"`     // training, forward or backward (with the dw passes)
	Schedule string `json:"schedule"` // Ours or the name of a baseline
	// Figures are nil if some layer has no such schedule that fits.
	Figures *Figures `json:"figures"`
	// Reach is how far any schedules could go, with the gap of these.
	Reach *Reach `json:"reach,omitempty"`
	// Missing counts the layers' passes without one.
	Missing int64 `json:"missing,omitempty"`
	// Unproven counts the layers' passes where a better one of its kind may
	// exist.
	Unproven int64 `json:"unproven,omitempty"`
}

// Figures are sums over layers.
type Figures struct {
	Cycles       float64 `json:"cycles"`
	Milliseconds float64 `json:"milliseconds"`
	DRAMBytes    int64   `json:"dram_bytes"`
	DYBytes      int64   `json:"dy_bytes"` // of DRAMBytes, the output gradient
	EnergyPJ     float64 `json:"energy_pj"`
	MACs         int64   `json:"macs"`
	SPMBytes     int64   `json:"spm_bytes"` // the largest of any layer
	// CyclesToOurs is Cycles over those of the best found.
	CyclesToOurs float64 `json:"cycles_to_ours"`
}

func (f *Figures) add(c *evaluator.Cost, count int64) {
	f.Cycles += c.Cycles * float64(count)
	f.DRAMBytes += c.DRAMBytes * count
	f.DYBytes += (c.Traffic[space.GradY].Read + c.Traffic[space.GradY].Write) * count
	f.EnergyPJ += c.EnergyPJ * float64(count)
	f.MACs += c.MACs * count
	f.SPMBytes = max(f.SPMBytes, c.SPMBytes)
}

// Groups of passes that are added up.
const (
	trainingPasses = "training"
	forwardPasses  = "forward"
	backwardPasses = "backward"
)

func inGroup(group string, p space.Pass) bool {
	return group == trainingPasses || (group == forwardPasses) == (p == space.Forward)
}

// totals adds up every schedule over the groups of passes that occur:
// training only where there are both others.
func totals(npu *hardware.NPU, jobs []Job, o search.Objective) []Total {
	var all []Total
	for _, group := range groups(jobs) {
		reach := reachOf(jobs, group)
		ours := total(npu, jobs, group, Ours)
		for _, name := range baselineNames(jobs, group) {
			all = append(all, total(npu, jobs, group, name))
		}
		all = append(all, ours)
		for i := range all {
			t := &all[i]
			if t.Pass != group || t.Figures == nil {
				continue
			}
			if ours.Figures != nil && ours.Figures.Cycles > 0 {
				t.Figures.CyclesToOurs = t.Figures.Cycles / ours.Figures.Cycles
			}
			far := reach
			far.measure(o, t.Figures.value(o))
			t.Reach = &far
		}
	}
	return all
}

// reachOf adds up how far any schedules of a group's jobs could go.
func reachOf(jobs []Job, group string) Reach {
	var sum Reach
	for i := range jobs {
		if j := &jobs[i]; inGroup(group, j.Pass) && j.Reach != nil {
			sum.add(j.Reach, j.Count)
		}
	}
	return sum
}

func groups(jobs []Job) []string {
	forward, backward := false, false
	for i := range jobs {
		if jobs[i].Pass == space.Forward {
			forward = true
		} else {
			backward = true
		}
	}
	switch {
	case forward && backward:
		return []string{forwardPasses, backwardPasses, trainingPasses}
	case forward:
		return []string{forwardPasses}
	case backward:
		return []string{backwardPasses}
	}
	return nil
}

// baselineNames lists the baselines of a group's jobs in the order in which
// they first occur.
func baselineNames(jobs []Job, group string) []string {
	var names []string
	seen := map[string]bool{}
	for i := range jobs {
		if !inGroup(group, jobs[i].Pass) {
			continue
		}
		for _, b := range jobs[i].Baselines {
			if !seen[b.Name] {
				seen[b.Name] = true
				names = append(names, b.Name)
			}
		}
	}
	return names
}

func total(npu *hardware.NPU, jobs []Job, group, name string) Total {
	t := Total{Pass: group, Schedule: name}
	var sum Figures
	for i := range jobs {
		j := &jobs[i]
		if !inGroup(group, j.Pass) {
			continue
		}
		s, proven := j.solution(name)
		if !proven {
			t.Unproven += j.Count
		}
		if s == nil {
			t.Missing += j.Count
			continue
		}
		sum.add(&s.Cost, j.Count)
	}
	if t.Missing == 0 {
		sum.Milliseconds = sum.Cycles / (npu.ClockMHz * 1e3)
		t.Figures = &sum
	}
	return t
}

// solution returns the job's schedule of a name, nil if it has none, and
// whether it is proven that there is no better one.
func (j *Job) solution(name string) (s *Solution, proven bool) {
	if name == Ours {
		return j.Best, j.Found.Proven
	}
	if b := j.Baseline(name); b != nil {
		return b.Solution, b.Proven
	}
	return nil, false
}

// Total returns the figures of a schedule over a group of passes, nil if
// there are none.
func (d *Document) Total(pass, schedule string) *Figures {
	if t := d.total(pass, schedule); t != nil {
		return t.Figures
	}
	return nil
}

func (d *Document) total(pass, schedule string) *Total {
	for i := range d.Totals {
		if t := &d.Totals[i]; t.Pass == pass && t.Schedule == schedule {
			return t
		}
	}
	return nil
}
