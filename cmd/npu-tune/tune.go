package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/results"
	"github.com/npu-tune/npu-tune/search/tuner"
	"github.com/npu-tune/npu-tune/space"
	"github.com/npu-tune/npu-tune/space/rules"
)

// tune is the main command: it tunes a model, prints tables and writes the
// result.
func tune(c *cobra.Command, _ []string) error {
	o, err := loadOptions(c)
	if err != nil {
		return err
	}
	model, err := loadModel(o)
	if err != nil {
		return err
	}
	npu, err := loadNPU(o.npu, o.cores)
	if err != nil {
		return err
	}
	if err := printImports(c.ErrOrStderr(), o); err != nil {
		return err
	}
	if o.out != "" {
		if err := results.CheckWritable(o.out); err != nil {
			return usagef("--out: %w", err)
		}
	}
	set, err := modelRules(o, model, npu)
	if err != nil {
		return err
	}
	result, err := runTuner(c, o, model, npu, set)
	if err != nil {
		return err
	}
	doc := document(o, model, npu, result)
	if set != nil {
		doc.Search.Constraints = set.Text()
	}
	if o.out != "" {
		if err := doc.Write(o.out); err != nil {
			return err
		}
	}
	if err := printDocument(c.OutOrStdout(), doc, o.format, o.why); err != nil {
		return err
	}
	if err := noteRules(c.OutOrStdout(), set, doc, o.format); err != nil {
		return err
	}
	return finish(c.ErrOrStderr(), o, doc, result)
}

// runTuner runs the tuner under the budget until it is done or a signal comes.
func runTuner(c *cobra.Command, o *options, model models.Model, npu *hardware.NPU, set *rules.Set) (*tuner.Result, error) {
	ctx, stop := untilSignal(context.Background())
	defer stop()
	ctx, cancel := context.WithTimeoutCause(ctx, o.budget, errBudget)
	defer cancel()
	bars := newProgress(c.ErrOrStderr(), o.objective, o.budget)
	result, err := tuner.Tune(ctx, tuner.Plan{
		Model: model, HW: npu.Params(), Passes: o.passes, Objective: o.objective, Strategy: o.strategy,
		Baselines: true, MaxEvals: o.maxEvals, Seed: o.seed, Workers: o.workers, Top: o.top, Pareto: o.pareto,
		Sensitivity: o.sensitivity, Explain: o.why, Constraints: restrictions(set),
		Progress: bars.update,
	})
	bars.stop()
	if err != nil {
		return nil, inputError(o, err)
	}
	if result.Interrupted {
		o.ended = ending(ctx)
	}
	return result, nil
}

// inputError marks what the tuner refuses because of its input.
func inputError(o *options, err error) error {
	if errors.Is(err, space.ErrCapacity) {
		return usagef("--npu: %s: %w", o.npu, err)
	}
	for _, cause := range []error{tuner.ErrPlan, models.ErrLayer, space.ErrOverflow, hardware.ErrInvalid} {
		if errors.Is(err, cause) {
			return usage(err)
		}
	}
	return fmt.Errorf("tuning failed: %w", err)
}
