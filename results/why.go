package results

import (
	"fmt"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

// The resources that can bind a layer.
const (
	bindsArray = "array"
	bindsDRAM  = "dram"
	bindsSPM   = "spm"
)

// Why says why a job's best is what it is and not faster.
type Why struct {
	// Resource is what binds the best schedule: array, dram or spm. Where the
	// optima at twice the SPM and twice the bandwidth are known it is the one
	// that gains most, array if neither gains 1 %; else the busier of the
	// array and the DRAM interface.
	Resource string `json:"resource"`
	// ArrayBusy is the array's cycles over all, DRAMBusy those that the
	// DRAM interface transfers bytes in, without latency; 0 to 1.
	ArrayBusy float64  `json:"array_busy"`
	DRAMBusy  float64  `json:"dram_busy"`
	Rejected  Rejected `json:"rejected"`
	// NotInterleaved says why the gradients run one after the other; nil
	// where they do not, and where that was not asked.
	NotInterleaved *NotInterleaved `json:"not_interleaved,omitempty"`
	// Text says all this in sentences.
	Text []string `json:"text"`
}

// Rejected counts what the search turned down, by reason.
type Rejected struct {
	Bound int64 `json:"bound"` // boxes of schedules that a bound ruled out
	SPM   int64 `json:"spm"`   // boxes and schedules that do not fit the SPM
	Cost  int64 `json:"cost"`  // single schedules that cost no less
}

// helps is the least part of a value that counts as gained.
const helps = 0.01

// why explains the best of a job; nil where there is none.
func why(npu *hardware.NPU, in *JobInput, objective search.Objective) *Why {
	best := in.Outcome.Best()
	if best == nil || best.Cost.Cycles <= 0 {
		return nil
	}
	c, stats := &best.Cost, &in.Outcome.Stats
	w := &Why{
		ArrayBusy: float64(c.ComputeCycles) / c.Cycles,
		DRAMBusy:  float64(c.DRAMBytes) / in.Problem.HW.BytesPerCycle / c.Cycles,
		Rejected:  Rejected{Bound: stats.Cut, SPM: stats.Infeasible, Cost: max(0, stats.Evaluations-1)},
	}
	w.bind(in, objective)
	w.NotInterleaved = notInterleaved(npu, in, objective)
	w.Text = append(w.Text, fmt.Sprintf("The array is busy in %.1f %% of %s cycles, the DRAM interface in %.1f %%: %s.",
		100*w.ArrayBusy, exact(c.Cycles), 100*w.DRAMBusy, w.binding()))
	if s := gains(in, objective); s != "" {
		w.Text = append(w.Text, s)
	}
	w.Text = append(w.Text, fmt.Sprintf("Rejected: %d boxes of schedules by bounds, %d boxes and schedules over the SPM, %d schedules by their cost.",
		w.Rejected.Bound, w.Rejected.SPM, w.Rejected.Cost))
	if w.NotInterleaved != nil {
		w.Text = append(w.Text, w.NotInterleaved.text(objective))
	}
	return w
}

// bind finds the resource that binds.
func (w *Why) bind(in *JobInput, objective search.Objective) {
	w.Resource = bindsArray
	if w.DRAMBusy > w.ArrayBusy {
		w.Resource = bindsDRAM
	}
	spm, knowsSPM := in.gain(objective, 2, 1)
	dram, knowsDRAM := in.gain(objective, 1, 2)
	switch {
	case !knowsSPM || !knowsDRAM || objective != search.Latency:
	case spm >= helps && spm >= dram:
		w.Resource = bindsSPM
	case dram >= helps:
		w.Resource = bindsDRAM
	default:
		w.Resource = bindsArray
	}
}

func (w *Why) binding() string {
	switch w.Resource {
	case bindsDRAM:
		return "bandwidth binds it"
	case bindsSPM:
		return "the size of the SPM binds it"
	}
	return "the array binds it"
}

// gain returns which part of the objective a variant saves; false where it is
// not known.
func (in *JobInput) gain(objective search.Objective, spm, bandwidth float64) (float64, bool) {
	best := in.Outcome.Best()
	for i := range in.Variants {
		v := &in.Variants[i]
		if v.SPM != spm || v.Bandwidth != bandwidth || v.Outcome.Best() == nil {
			continue
		}
		ours := objective.Value(&best.Cost)
		if ours <= 0 {
			return 0, false
		}
		return 1 - objective.Value(&v.Outcome.Best().Cost)/ours, true
	}
	return 0, false
}

// gains says what other hardware would buy.
func gains(in *JobInput, objective search.Objective) string {
	spm, knowsSPM := in.gain(objective, 2, 1)
	dram, knowsDRAM := in.gain(objective, 1, 2)
	if !knowsSPM || !knowsDRAM {
		return ""
	}
	return fmt.Sprintf("Twice the SPM would save %.1f %% of its %s, twice the bandwidth %.1f %%.",
		100*spm, figure(objective), 100*dram)
}

// figure names what an objective makes small.
func figure(o search.Objective) string {
	switch o {
	case search.Traffic:
		return "DRAM traffic"
	case search.Energy:
		return "energy"
	case search.EDP:
		return "energy-delay product"
	case search.SPM:
		return "SPM bytes"
	}
	return "cycles"
}

func exact(v float64) string {
	if v == float64(int64(v)) {
		return fmt.Sprintf("%d", int64(v))
	}
	return fmt.Sprintf("%.1f", v)
}

// isSequential reports whether one gradient runs after the other.
func isSequential(s *space.Schedule) bool { return s.Pass == space.Backward && s.Shared == 0 }
