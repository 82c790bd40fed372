package tuner

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

// Variant is the optimum of a job on an NPU with another SPM or bandwidth.
type Variant struct {
	SPM       float64 // factor on the bytes of every SPM
	Bandwidth float64 // factor on the bytes per cycle of the DRAM interface
	// Outcome is of the strategy; Proven and without best where nothing fits.
	Outcome search.Outcome
}

// sensitivity are the variants that Plan.Sensitivity asks for, explanation
// those of them that tell which resource binds.
var (
	sensitivity = []Variant{{SPM: 0.5, Bandwidth: 1}, {SPM: 2, Bandwidth: 1}, {SPM: 1, Bandwidth: 0.5}, {SPM: 1, Bandwidth: 2}}
	explanation = []Variant{{SPM: 2, Bandwidth: 1}, {SPM: 1, Bandwidth: 2}}
)

// mainPart is the part of the time that the search itself gets where insights
// are asked for too: they need its results.
const mainPart = 0.6

// insights are what a task knows beyond its optimum.
type insights struct {
	variants []Variant
	// interleaved is the best with shared loops; nil unless asked for, and
	// where the best has some itself.
	interleaved *search.Outcome
	cut         bool // the time ended before all were searched
}

func (p *Plan) wantsInsights() bool { return p.Sensitivity || p.Explain }

// variants returns what the plan asks for.
func (p *Plan) variants() []Variant {
	switch {
	case p.Sensitivity:
		return sensitivity
	case p.Explain:
		return explanation
	}
	return nil
}

// searchInsights answers for every task what other hardware would buy, and
// what interleaving would cost.
func (t *tuning) searchInsights(ctx context.Context) error {
	if !t.plan.wantsInsights() {
		return nil
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(t.plan.Workers)
	for i, k := range t.tasks {
		part := min(1, float64(t.plan.Workers)/float64(len(t.tasks)-i))
		group.Go(func() error {
			slice, cancel := fraction(ctx, part)
			defer cancel()
			if err := t.searchInsight(slice, k); err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
			return nil
		})
	}
	return group.Wait()
}

func (t *tuning) searchInsight(ctx context.Context, k *task) error {
	variants := t.plan.variants()
	questions := len(variants)
	if t.plan.Explain && k.sequential() {
		questions++
	}
	for i := range questions {
		slice, cancel := fraction(ctx, 1/float64(questions-i))
		var err error
		if i < len(variants) {
			err = t.searchVariant(slice, k, variants[i])
		} else {
			err = t.searchInterleaved(slice, k)
		}
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// sequential reports whether the best schedule runs one gradient after the
// other.
func (t *task) sequential() bool {
	best := t.outcome.Best()
	return t.problem.Pass == space.Backward && best != nil && best.Schedule.Shared == 0
}

func (t *tuning) searchVariant(ctx context.Context, k *task, v Variant) error {
	p := *k.problem
	p.HW = v.apply(p.HW)
	out, err := t.ask(ctx, k, &p, k.constraints)
	v.Outcome = out
	k.insights.variants = append(k.insights.variants, v)
	return err
}

func (t *tuning) searchInterleaved(ctx context.Context, k *task) error {
	c, allowed := k.interleaved()
	if !allowed {
		return nil
	}
	out, err := t.ask(ctx, k, k.problem, c)
	k.insights.interleaved = &out
	return err
}

// ask runs the strategy on a problem that is close to a task's own.
func (t *tuning) ask(ctx context.Context, k *task, p *space.Problem, c space.Constraints) (search.Outcome, error) {
	seeds := k.seeds()
	for i := range k.outcome.Top {
		seeds = append(seeds, k.outcome.Top[i].Schedule)
	}
	out, err := t.plan.Strategy.Search(ctx, &search.Request{
		Problem: p, Constraints: c, Objective: t.plan.Objective, Evaluator: t.plan.Evaluator,
		Seeds: append(seeds, p.Smallest()), MaxEvals: t.plan.MaxEvals, Seed: k.seed,
	})
	k.extra += out.Stats.Evaluations
	if !out.Proven && ctx.Err() != nil {
		k.insights.cut = true
	}
	return out, unlessEnded(ctx, err)
}

// apply returns the hardware of the variant.
func (v *Variant) apply(hw hardware.Params) hardware.Params {
	for i := range hw.NPools {
		if b := hw.Pools[i].Bytes; b > 0 { // 0 is unlimited
			hw.Pools[i].Bytes = max(1, int64(float64(b)*v.SPM))
		}
	}
	hw.BytesPerCycle *= v.Bandwidth
	return hw
}
