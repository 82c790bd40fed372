package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models/zoo"
	"github.com/npu-tune/npu-tune/results/table"
)

// config is what is measured.
type config struct {
	parts, models, npus []string
	limit               time.Duration // of one proof
	workers             int
	seeds               int
	evals               int64 // of one genetic search
	most                int64 // the largest dimension
	batch               int64
	format              table.Format
}

// part measures one thing and returns its table; what was measured until the
// context ended.
type part struct {
	name, about string
	run         func(context.Context, *config) (*table.Table, error)
}

func parts() []part {
	return []part{
		{"speed", "exact costs and bounds a second", speed},
		{"proof", "time to proof of models on NPUs, and memory", proof},
		{"spm", "growth of the time to proof with the SPM", growthSPM},
		{"dimension", "growth of the time to proof with the dimensions", growthDimension},
		{"genetic", "evaluations that the genetic search needs to the proven optimum", genetic},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

// run measures the parts that the arguments select and prints a table for
// each.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	c, err := parse(args, stderr)
	if err != nil {
		return err
	}
	for _, p := range parts() {
		if !slices.Contains(c.parts, p.name) {
			continue
		}
		t, err := p.run(ctx, c)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := t.Write(stdout, c.format); err != nil {
			return err
		}
		fmt.Fprintln(stdout)
		if ctx.Err() != nil {
			return errors.New("interrupted")
		}
	}
	return nil
}

func parse(args []string, stderr io.Writer) (*config, error) {
	c := &config{}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(stderr)
	var names, about []string
	for _, p := range parts() {
		names = append(names, p.name)
		about = append(about, p.name+": "+p.about)
	}
	which := f.String("parts", strings.Join(names, ","), "what to measure, of\n"+strings.Join(about, "\n"))
	models := f.String("models", "resnet50,mobilenetv2,bert-large,gpt3-175b,llama3-70b", "networks of proof")
	npus := f.String("npus", "small,large", "NPUs of proof")
	f.DurationVar(&c.limit, "limit", 30*time.Second, "longest time to one proof")
	f.IntVar(&c.workers, "workers", 0, "passes that are proven at a time; 0: one per CPU")
	f.IntVar(&c.seeds, "seeds", 3, "seeds of genetic, for every pass of ResNet-50")
	f.Int64Var(&c.evals, "evals", 50_000, "evaluations of one genetic search at most")
	f.Int64Var(&c.most, "most", 1_000_000, "largest dimension")
	f.Int64Var(&c.batch, "batch", zoo.DefaultBatch, "images or sequences of a step")
	format := f.String("format", table.Text.String(), "what to print: "+strings.Join(table.FormatNames(), ", "))
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	c.parts, c.models, c.npus = split(*which), split(*models), split(*npus)
	if c.workers <= 0 {
		c.workers = runtime.GOMAXPROCS(0)
	}
	var err error
	c.format, err = table.ParseFormat(*format)
	return c, errors.Join(err, known("part", c.parts, names), known("model", c.models, zoo.Names()), known("NPU", c.npus, hardware.PresetNames()))
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

func known(kind string, got, names []string) error {
	for _, g := range got {
		if !slices.Contains(names, g) {
			return fmt.Errorf("unknown %s %q, want some of %s", kind, g, strings.Join(names, ", "))
		}
	}
	return nil
}
