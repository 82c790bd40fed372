package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/npu-tune/npu-tune/evaluator/verify"
	"github.com/npu-tune/npu-tune/results"
	"github.com/npu-tune/npu-tune/results/table"
	"github.com/npu-tune/npu-tune/space"
)

// verification is what the verify command is asked.
type verification struct {
	all             bool
	maxOps, maxMACs int64
	seed            uint64
	workers         int
	format          string
}

func verifyCommand() *cobra.Command {
	var v verification
	c := silent(&cobra.Command{
		Use:   "verify FILE",
		Short: "Check a result: costs against the simulator, gradients against a reference",
		Long: `Check the schedules of a result that npu-tune wrote, the best one of each layer and pass, in three ways:

- the cost that the file states is what the closed form gives;
- the closed form is what a simulator gives that runs the schedule tile by tile in a real SPM and shares
  no code with it, in every figure;
- random numbers that go through this SPM give the same Y, dX and dW as a reference that knows no tiles:
  integers exactly, float32 to 1e-4.

What is too large for --max-ops or --max-macs is checked on a shrunk problem with the same loop structure
and ragged edges; the table says which, and how large it is (m×n×k, and ×batch).

At the first disagreement it ends with exit code 1 and prints the smallest problem that it can shrink to
and that still fails, as a case for 'npu-tune evaluate' (docs/cost-model.md, section 8): the last line.`,
		Args: oneArgument,
		RunE: func(c *cobra.Command, args []string) error { return v.run(c, args[0]) },
	})
	flags := c.Flags()
	flags.SortFlags = false
	flags.BoolVar(&v.all, "all", false, "check the next best, the Pareto and the hand-tuned schedules too")
	flags.Int64Var(&v.maxOps, "max-ops", verify.DefaultMaxOps, "tile operations of a schedule to simulate at most")
	flags.Int64Var(&v.maxMACs, "max-macs", verify.DefaultMaxMACs, "multiply-accumulates of an operation to replay with numbers at most")
	flags.Uint64Var(&v.seed, "seed", 1, "draws the numbers")
	flags.IntVar(&v.workers, "workers", 0, "schedules that are checked at a time; 0: one per CPU")
	formatFlag(c, &v.format)
	return c
}

func (v *verification) run(c *cobra.Command, path string) error {
	f, err := v.parse()
	if err != nil {
		return err
	}
	d, err := results.Read(path)
	if err != nil {
		return usage(err)
	}
	list := v.subjects(d)
	if len(list) == 0 {
		return usagef("%s: it has no schedule to verify", path)
	}
	ctx, stop := untilSignal(context.Background())
	defer stop()
	start := time.Now()
	checker := &verify.Checker{MaxOps: v.maxOps, MaxMACs: v.maxMACs, Seed: v.seed}
	done, failure, err := checkAll(ctx, checker, list, v.workers)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := printChecks(c.OutOrStdout(), done, failure, f); err != nil {
		return err
	}
	return verdict(c.ErrOrStderr(), path, len(list), done, failure, context.Cause(ctx), time.Since(start))
}

// parse checks the flags.
func (v *verification) parse() (table.Format, error) {
	if v.maxOps < 1 {
		return 0, usagef("--max-ops: got %d, want 1 or more", v.maxOps)
	}
	if v.maxMACs < 1 {
		return 0, usagef("--max-macs: got %d, want 1 or more", v.maxMACs)
	}
	if v.workers < 0 || v.workers > maxSmall {
		return 0, usagef("--workers: got %d, want 0 to %d", v.workers, maxSmall)
	}
	if v.workers == 0 {
		v.workers = runtime.GOMAXPROCS(0)
	}
	return parseFormat(v.format)
}

// subject is a schedule to check.
type subject struct {
	job      *results.Job
	problem  *space.Problem
	name     string // among the job's schedules
	solution *results.Solution
}

func (v *verification) subjects(d *results.Document) []subject {
	var list []subject
	for i := range d.Jobs {
		j := &d.Jobs[i]
		p := d.Problem(j)
		for _, s := range j.Solutions() {
			if v.all || s.Name == results.Best {
				list = append(list, subject{j, p, s.Name, s.Solution})
			}
		}
	}
	return list
}

// verdict says on stderr how it ended; everything but agreement is an error.
func verdict(w io.Writer, path string, all int, done []checked, failure *verify.Failure, cause error, took time.Duration) error {
	if failure != nil {
		s := &done[len(done)-1].subject
		return fmt.Errorf("%s: %s, %s: %w", path, s.job.Name(), s.name, failure)
	}
	if cause != nil && len(done) < all {
		return fmt.Errorf("%w: %d of %d schedules are checked, no disagreement so far", cause, len(done), all)
	}
	wholes, replays := 0, 0
	for i := range done {
		if done[i].report.Simulated.Whole {
			wholes++
		}
		if done[i].report.Replayed.Whole {
			replays++
		}
	}
	_, err := fmt.Fprintf(w, "%s: all %d schedules agree, checked in %s: %d simulated whole and %d shrunk, %d replayed whole and %d shrunk.\n",
		path, all, took.Round(10*time.Millisecond), wholes, all-wholes, replays, all-replays)
	return err
}
