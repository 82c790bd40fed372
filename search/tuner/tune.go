package tuner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/exhaustive"
	"github.com/npu-tune/npu-tune/space"
	"github.com/npu-tune/npu-tune/space/handtuned"
)

// tuning is one run of Tune.
type tuning struct {
	plan  Plan
	jobs  []Job
	tasks []*task
	// prover finds the best member of a hand-tuned family.
	prover    search.Strategy
	handtuned func(*space.Problem) []handtuned.Baseline
	report    *reporter
}

// Tune finds the best schedule of every layer of a plan's model.
//
// The context's deadline is the budget; proven means done, so most runs end
// before it. When the context ends, every job keeps the best so far, a
// hand-tuned schedule at least, and Result.Interrupted is set; that is no
// error. For an unfinished context the result depends on the plan alone, not
// on Workers.
//
// Errors about the plan, its layers and an SPM that is too small for some of
// them are joined and returned before anything is searched; they wrap
// ErrPlan, models.ErrLayer, space.ErrOverflow or space.ErrCapacity.
//
// Built with the tag invariants, it holds every best schedule to the simulator
// and fails where they disagree.
func Tune(ctx context.Context, plan Plan) (*Result, error) {
	t := &tuning{prover: exhaustive.New(), handtuned: handtuned.For}
	return t.run(ctx, plan)
}

func (t *tuning) run(ctx context.Context, plan Plan) (*Result, error) {
	start := time.Now()
	var err error
	if t.plan, err = plan.withDefaults(); err != nil {
		return nil, err
	}
	if t.jobs, t.tasks, err = makeJobs(&t.plan); err != nil {
		return nil, err
	}
	if err := t.checkSPM(); err != nil {
		return nil, err
	}
	for _, k := range t.tasks {
		if err := t.costFixed(ctx, k); err != nil {
			return nil, fmt.Errorf("%s: %w", k.name, err)
		}
	}
	if err := t.checkTotals(); err != nil {
		return nil, err
	}
	t.report = newReporter(&t.plan, t.tasks, start)
	if err := t.searchMain(ctx); err != nil {
		return nil, err
	}
	if err := t.searchInsights(ctx); err != nil {
		return nil, err
	}
	if err := t.crossCheck(ctx); err != nil {
		return nil, err
	}
	return t.result(time.Since(start)), nil
}

// searchMain finds the optima, and leaves time for what else is asked.
func (t *tuning) searchMain(ctx context.Context) error {
	if !t.plan.wantsInsights() {
		return t.searchAll(ctx)
	}
	ctx, cancel := fraction(ctx, mainPart)
	defer cancel()
	return t.searchAll(ctx)
}

// checkSPM reports every problem of which not even the smallest schedule fits.
func (t *tuning) checkSPM() error {
	var errs []error
	for _, k := range t.tasks {
		if err := k.problem.Room(0); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", k.name, err))
		}
	}
	return errors.Join(errs...)
}

// checkTotals reports a model whose layers are so many that sums over them
// would not fit in 64 bits, going by hand-tuned schedules; what is found may
// trade one figure for another, hence the margin.
func (t *tuning) checkTotals() error {
	const margin = 16
	var sum float64
	for _, k := range t.tasks {
		if len(k.known) > 0 {
			c := &k.known[0].Cost
			sum += float64(k.count) * float64(max(c.DRAMBytes, c.MACs))
		}
	}
	if sum*margin >= 1<<63 {
		return fmt.Errorf("%w: all layers of %q together move or compute %.4g", space.ErrOverflow, t.plan.Model.Name, sum)
	}
	return nil
}
