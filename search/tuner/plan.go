package tuner

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

// Plan is what Tune is asked. The zero values of all fields but Model and HW
// are useful.
type Plan struct {
	Model     models.Model
	HW        hardware.Params
	Passes    Passes
	Objective search.Objective
	// Constraints restrict the schedules of a layer's pass; nil restricts
	// nothing. Optima are proven under them. Hand-tuned schedules are not held
	// to them: those that break one are marked, and never the answer.
	Constraints func(models.Layer, space.Pass) space.Constraints
	// Strategy searches each job; nil means auto.
	Strategy search.Strategy
	// Evaluator costs schedules; nil means the analytic one.
	Evaluator evaluator.Evaluator
	// Baselines asks for the hand-tuned families too, whose best members
	// exhaustive search finds. Fixed hand-tuned schedules are always costed.
	Baselines bool
	// MaxEvals bounds the exact evaluations of each search of a job; 0 means
	// no bound. Unlike a deadline it keeps the result repeatable.
	MaxEvals int64
	// Seed makes random choices repeatable. Each job derives its own from it.
	Seed uint64
	// Workers is how many jobs run at a time; 0 means one per CPU. It changes
	// nothing but the time.
	Workers int
	// Top is how many schedules each job keeps; 0 means 1.
	Top int
	// Pareto asks for the front of latency, traffic and SPM bytes of each job.
	Pareto bool
	// Sensitivity asks for the optima of each job at half and twice the SPM
	// and half and twice the bandwidth.
	Sensitivity bool
	// Explain asks for what tells why the best is what it is: the optima at
	// twice the SPM and twice the bandwidth, and the best interleaved schedule
	// where the best is not interleaved.
	Explain bool
	// Progress, if not nil, is told how far the run has come. Calls never
	// overlap; it must return fast.
	Progress func(Progress)
}

// ErrPlan is wrapped by errors about a plan's own fields.
var ErrPlan = errors.New("invalid plan")

// withDefaults fills what was left zero and reports all violations at once.
func (p Plan) withDefaults() (Plan, error) {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrPlan}, args...)...))
	}
	if p.Passes >= numPasses {
		bad("passes is %d, want training, forward or backward", p.Passes)
	}
	if p.Objective >= search.NumObjectives {
		bad("objective is %d, want less than %d", p.Objective, search.NumObjectives)
	}
	if p.MaxEvals < 0 {
		bad("max evaluations is %d, want 0 (no bound) or more", p.MaxEvals)
	}
	if p.Workers < 0 {
		bad("workers is %d, want 0 (one per CPU) or more", p.Workers)
	}
	if p.Top < 0 {
		bad("top is %d, want 0 (one) or more", p.Top)
	}
	if err := p.Model.Validate(); err != nil {
		errs = append(errs, err)
	}
	if p.Workers == 0 {
		p.Workers = runtime.GOMAXPROCS(0)
	}
	p.Top = max(p.Top, 1)
	if p.Evaluator == nil {
		p.Evaluator = analytic.Evaluator{}
	}
	if p.Strategy == nil {
		p.Strategy = Auto()
	}
	return p, errors.Join(errs...)
}
