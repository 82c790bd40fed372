package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"github.com/npu-tune/npu-tune/results"
	"github.com/npu-tune/npu-tune/results/table"
	"github.com/npu-tune/npu-tune/search/igo"
)

func reproduceCommand() *cobra.Command {
	c := silent(&cobra.Command{
		Use:   "reproduce",
		Short: "Repeat a published study",
		Args:  noArguments,
		RunE:  func(c *cobra.Command, _ []string) error { return usagef("no study given, want igo") },
	})
	c.AddCommand(reproduceIGOCommand())
	return c
}

// studyOptions are the flags of a study, as text.
type studyOptions struct {
	npus, cores, networks, format, out, workers string
	noSweeps                                    bool
}

func reproduceIGOCommand() *cobra.Command {
	o := &studyOptions{}
	c := silent(&cobra.Command{
		Use:   "igo",
		Short: "The study of Interleaved Gradient Order (MICRO'23), with proven optima beside it",
		Long: `Repeat the study of Interleaved Gradient Order (doi:10.1145/3613424.3614299): nine networks on its small NPU and on
its large one with 1 to 8 cores, the time of a training step's matrix multiplications with each of its three
techniques, normalized to baselines that interleave nothing, the paper's figure beside it. Then the proven
optimum, the optimum without interleaving (best-sequential) and a bound that no schedule falls below. docs/paper.md
explains the columns and what is assumed where the paper is silent.

The output depends on the flags alone, not on --workers. Ctrl-C prints what is done, marked as partial.`,
		Example: `  npu-tune reproduce igo --format markdown --out study.md
  npu-tune reproduce igo --npu large --cores 1,2 --models resnet50,bert`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return reproduceIGO(c, o) },
	})
	flags := c.Flags()
	flags.SortFlags = false
	text := func(value *string, name, kind, initial, use string, values func() []string) {
		flags.Var(&boundFlag{value, kind}, name, use)
		*value = initial
		flags.Lookup(name).DefValue = initial
		if values != nil {
			complete(c, name, values)
		}
	}
	text(&o.npus, "npu", "NAME,...", "small,large", "the NPUs", func() []string { return []string{igo.Small, igo.Large} })
	text(&o.cores, "cores", "N,...", "1,2,4,8", "cores of the large NPU; bandwidth, SPM and batch grow with them", nil)
	text(&o.networks, "models", "NAME,...", "all", "networks: "+strings.Join(igo.NetworkNames(), ", "), igo.NetworkNames)
	flags.BoolVar(&o.noSweeps, "no-sweeps", false, "leave out other bandwidths and batches of the large NPU with one core")
	enumFlag(c, &o.format, "format", "FORMAT", table.Text.String(), "what to print", studyFormats)
	text(&o.out, "out", "FILE", "", "write to a file instead of standard output", nil)
	text(&o.workers, "workers", "N", "0", "layers that are searched at a time; 0: one per CPU", nil)
	return c
}

func studyFormats() []string {
	return []string{table.Text.String(), table.Markdown.String(), table.JSON.String()}
}

// plan reads the flags.
func (o *studyOptions) plan() (igo.Plan, table.Format, error) {
	var p igo.Plan
	p.NPUs, p.NoSweeps = strings.Split(o.npus, ","), o.noSweeps
	for _, n := range p.NPUs {
		if err := checkEnum("npu", "NPU of the paper", n, []string{igo.Small, igo.Large}); err != nil {
			return p, 0, err
		}
	}
	for _, c := range strings.Split(o.cores, ",") {
		n, err := strconv.ParseInt(c, 10, 64)
		if err != nil || n < 1 || n > 8 {
			return p, 0, usagef("--cores: got %q, want whole numbers from 1 to 8 with commas between", c)
		}
		p.Cores = append(p.Cores, n)
	}
	if o.networks != "all" {
		p.Networks = strings.Split(o.networks, ",")
	}
	for _, n := range p.Networks {
		if err := checkEnum("models", "network of the paper", n, igo.NetworkNames()); err != nil {
			return p, 0, err
		}
	}
	var err error
	if p.Workers, err = strconv.Atoi(o.workers); err != nil || p.Workers < 0 || p.Workers > maxSmall {
		return p, 0, usagef("--workers: got %q, want a whole number from 0 to %d", o.workers, maxSmall)
	}
	if err := checkEnum("format", "format", o.format, studyFormats()); err != nil {
		return p, 0, err
	}
	format, err := parseFormat(o.format)
	return p, format, err
}

// reproduceIGO runs the study and prints or writes it.
func reproduceIGO(c *cobra.Command, o *studyOptions) error {
	plan, format, err := o.plan()
	if err != nil {
		return err
	}
	if o.out != "" {
		if err := results.CheckWritable(o.out); err != nil {
			return usagef("--out: %w", err)
		}
	}
	ctx, stop := untilSignal(context.Background())
	defer stop()
	start := time.Now()
	bar := newStudyBar(c.ErrOrStderr())
	plan.Progress = bar.update
	study, err := igo.Run(ctx, plan)
	bar.stop()
	if err != nil {
		return err
	}
	if err := writeStudy(c.OutOrStdout(), o.out, study, format); err != nil {
		return err
	}
	if study.Partial && errors.Is(context.Cause(ctx), errInterrupted) {
		return fmt.Errorf("%w: networks that were not finished are left out", errInterrupted)
	}
	if n := len(study.Violations); n > 0 {
		return fmt.Errorf("%d figures are below the proven optimum, the first: %s", n, study.Violations[0])
	}
	_, err = fmt.Fprintf(c.ErrOrStderr(), "Every search proven after %s.\n", time.Since(start).Round(time.Second))
	return err
}

// writeStudy writes to a file, or to w where there is none.
func writeStudy(w io.Writer, path string, s *igo.Study, format table.Format) (err error) {
	if path == "" {
		return printStudy(w, s, format)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return printStudy(f, s, format)
}

// studyBar is a progress bar on a terminal, and nothing elsewhere.
type studyBar struct {
	bars *mpb.Progress
	bar  *mpb.Bar
}

func newStudyBar(w io.Writer) *studyBar {
	b := &studyBar{}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		b.bars = mpb.New(mpb.WithOutput(f), mpb.WithWidth(30))
	}
	return b
}

func (b *studyBar) update(done, all int) {
	if b.bars == nil {
		return
	}
	if b.bar == nil {
		b.bar = b.bars.AddBar(int64(all), mpb.BarPriority(math.MaxInt32), mpb.PrependDecorators(decor.Name("all passes ")),
			mpb.AppendDecorators(decor.CountersNoUnit(" %d/%d done, "), decor.Elapsed(decor.ET_STYLE_GO)))
	}
	b.bar.SetCurrent(int64(done))
}

// stop takes the bar away.
func (b *studyBar) stop() {
	if b.bars == nil {
		return
	}
	if b.bar != nil {
		b.bar.Abort(true)
	}
	b.bars.Wait()
}
