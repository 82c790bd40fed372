package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/npu-tune/npu-tune/evaluator/cases"
	"github.com/npu-tune/npu-tune/results"
	"github.com/npu-tune/npu-tune/results/table"
	"github.com/npu-tune/npu-tune/space"
	"github.com/npu-tune/npu-tune/space/handtuned"
)

func solveCommand() *cobra.Command {
	var family, format string
	c := silent(&cobra.Command{
		Use:   "solve FILE",
		Short: "Find the optimum of bare problems: a layer, an NPU and a pass",
		Long: `Find the best schedule of each problem of a list (or of a single one), for scripts. A problem is an object
with the "layer" and the "hardware" of a case (docs/cost-model.md, section 8; "spm_bytes" bounds the SPM,
without it there is no bound) and a "pass": forward, dw or backward. FILE may be - for standard input.

With --format json it prints a list with an object for each problem, in the order of FILE: the value of the
objective and its unit, whether it is proven optimal, whether nothing fits (infeasible), a bound that no
schedule falls below, the schedule, and its cost with the fields of a case's "expect". Flags are as in the
main command; the environment and config.yaml change nothing. Without --budget every problem is
searched to its end, so that the output depends on the input alone.`,
		Example: `  npu-tune solve problems.json --objective edp --format json
  npu-tune solve problems.json --family best-sequential --budget 10s`,
		Args: oneArgument,
		RunE: func(c *cobra.Command, args []string) error {
			o, err := solveOptions(c.Flags())
			if err != nil {
				return err
			}
			if o.format, err = parseFormat(format); err != nil {
				return err
			}
			if family != "" {
				if err := checkEnum("family", "family", family, handtuned.Names()); err != nil {
					return err
				}
			}
			return solve(c, o, family, args[0])
		},
	})
	c.Flags().SortFlags = false
	for _, s := range settings() {
		if isSolveSetting(s.name) {
			addFlag(c, describeForSolve(s))
		}
	}
	enumFlag(c, &family, "family", "NAME", "", "search only schedules as people write them by hand", handtuned.Names)
	formatFlag(c, &format)
	return c
}

// describeForSolve says of a setting what is different for problems.
func describeForSolve(s setting) setting {
	switch s.name {
	case "budget":
		s.initial, s.usage = "", "longest time to search, such as 30s or 1h (default: no end)"
	case "workers":
		s.usage = "problems that are solved at a time; 0: one per CPU"
	}
	return s
}

func isSolveSetting(name string) bool {
	switch name {
	case "constraints", "objective", "strategy", "budget", "max-evals", "seed", "workers":
		return true
	}
	return false
}

// solveOptions reads the flags that are settings.
func solveOptions(flags *pflag.FlagSet) (*options, error) {
	o := &options{ended: results.Complete}
	var errs []error
	for _, s := range settings() {
		if !isSolveSetting(s.name) {
			continue
		}
		f := flags.Lookup(s.name)
		if !f.Changed && f.DefValue == "" {
			continue
		}
		if err := s.parse(o, f.Value.String()); err != nil {
			errs = append(errs, usagef("--%s: %w", s.name, err))
		}
	}
	if o.workers == 0 {
		o.workers = runtime.GOMAXPROCS(0)
	}
	return o, errors.Join(errs...)
}

// solve reads problems, solves them and prints what was found.
func solve(c *cobra.Command, o *options, family, path string) error {
	problems, err := readProblems(c, path)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(context.Background())
	defer stop()
	if o.budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.budget, errBudget)
		defer cancel()
	}
	set, err := solveRules(ctx, o, family, problems)
	if err != nil {
		return err
	}
	start := time.Now()
	found, err := solveAll(ctx, o, family, problems, restrictions(set))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if o.format == table.JSON {
		err = printSolved(c.OutOrStdout(), o, found)
	} else {
		err = solvedTable(o, found).Write(c.OutOrStdout(), o.format)
	}
	if err != nil {
		return err
	}
	proven := 0
	for i := range found {
		if found[i].outcome.Proven {
			proven++
		}
	}
	status := fmt.Sprintf("%d of %d problems proven after %s", proven, len(found), time.Since(start).Round(10*time.Millisecond))
	switch cause := context.Cause(ctx); {
	case proven < len(found) && errors.Is(cause, errInterrupted):
		return fmt.Errorf("%w: these are the best schedules so far, %s", cause, status)
	case proven < len(found) && errors.Is(cause, errBudget):
		status = fmt.Sprintf("The budget of %s is used up: these are the best schedules so far, %s", o.budget, status)
	}
	_, err = fmt.Fprintf(c.ErrOrStderr(), "%s.\n", status)
	return err
}

func readProblems(c *cobra.Command, path string) ([]space.Problem, error) {
	data, err := readAll(path, c.InOrStdin())
	if err != nil {
		return nil, usage(err)
	}
	problems, err := cases.DecodeProblems(bytes.NewReader(data))
	if err != nil {
		return nil, usagef("%s: %w", path, err)
	}
	return problems, nil
}
