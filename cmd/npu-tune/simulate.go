package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/npu-tune/npu-tune/evaluator/simulator"
	"github.com/npu-tune/npu-tune/results"
	"github.com/npu-tune/npu-tune/space"
)

// simulation is what the simulate command is asked.
type simulation struct {
	layer, pass, schedule string
	trace                 string
	maxEvents             int
	format                string
}

// Bounds of --max-events: the names of the lanes and a stage take some.
const (
	minEvents     = 100
	defaultEvents = 200_000
)

func simulateCommand() *cobra.Command {
	var s simulation
	c := silent(&cobra.Command{
		Use:   "simulate FILE",
		Short: "Run one schedule tile by tile: where the cycles go, what the SPM holds, a timeline",
		Long: `Run a schedule of a result that npu-tune wrote, or a case (docs/cost-model.md, section 8), tile by tile on
an SPM with regions and slots. It prints the loop nest, the cost, where the cycles go, and what is in the
SPM; with --trace it writes a timeline of one batch in the Chrome trace format, which Perfetto opens: array, DMA in, DMA out,
stalls and SPM bytes in use, one cycle as one microsecond. FILE may be - for standard input.

With --format csv it prints where the cycles go, with --format json everything.`,
		Example: `  npu-tune simulate best.json --layer layer1.0.conv1 --trace out.json
  npu-tune simulate best.json --layer layer1.0.conv1 --schedule conventional`,
		Args: oneArgument,
		RunE: func(c *cobra.Command, args []string) error { return s.run(c, args[0]) },
	})
	flags := c.Flags()
	flags.SortFlags = false
	flags.Var(&boundFlag{&s.layer, "NAME"}, "layer", "the layer; of a list of cases cases[0] and so on (default: the only one)")
	flags.Var(&boundFlag{&s.pass, "PASS"}, "pass", "forward, backward or dw (default: the backward pass if there is one)")
	flags.Var(&boundFlag{&s.schedule, "NAME"}, "schedule", "best, top-2 and so on, pareto-1 and so on, or a hand-tuned one such as conventional (default: best)")
	flags.Var(&boundFlag{&s.trace, "FILE"}, "trace", "where to write the timeline")
	flags.IntVar(&s.maxEvents, "max-events", defaultEvents, "events of the timeline at most, about 150 bytes each; it ends early and says so")
	formatFlag(c, &s.format)
	return c
}

func (s *simulation) run(c *cobra.Command, path string) error {
	f, err := parseFormat(s.format)
	if err != nil {
		return err
	}
	if s.maxEvents < minEvents {
		return usagef("--max-events: got %d, want %d or more", s.maxEvents, minEvents)
	}
	list, err := readTargets(path, c.InOrStdin())
	if err != nil {
		return err
	}
	t, err := choose(list, s.layer, s.pass, s.schedule)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if s.trace != "" {
		if err := results.CheckWritable(s.trace); err != nil {
			return usagef("--trace: %w", err)
		}
	}
	ctx, stop := untilSignal(context.Background())
	defer stop()
	r, err := simulator.New().Run(ctx, t.problem, t.s, simulator.RunOptions{Buckets: buckets})
	if err != nil {
		return fmt.Errorf("%s: %s: %w", path, t.name(), simulationError(ctx, err))
	}
	if s.trace != "" {
		if err := s.writeTrace(ctx, c.ErrOrStderr(), t); err != nil {
			return fmt.Errorf("--trace: %w", simulationError(ctx, err))
		}
	}
	return printSimulation(c.OutOrStdout(), t, &r, f)
}

// simulationError tells an interruption and bad input from a broken plan.
func simulationError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, cause := range []error{space.ErrIllegal, simulator.ErrCapacity, simulator.ErrTooLarge, simulator.ErrProblem} {
		if errors.Is(err, cause) {
			return usage(err)
		}
	}
	return err
}

// writeTrace writes the timeline, whole or not at all, and says on stderr what
// it shows.
func (s *simulation) writeTrace(ctx context.Context, stderr io.Writer, t *target) error {
	var r simulator.TraceReport
	err := results.WriteFile(s.trace, func(w io.Writer) error {
		var err error
		r, err = simulator.New().WriteTrace(ctx, w, t.problem, t.s, simulator.TraceOptions{MaxEvents: s.maxEvents})
		return err
	})
	if err != nil {
		return err
	}
	end := "the whole of one batch"
	if r.Truncated {
		end = fmt.Sprintf("until cycle %.0f of %.0f, where --max-events ends it", r.Until, r.Cost.Cycles/float64(t.problem.Layer.Batches()))
	}
	_, err = fmt.Fprintf(stderr, "Timeline of %d stages in %d events, %s, written to %s: open it in Perfetto.\n", r.Stages, r.Events, end, s.trace)
	return err
}
