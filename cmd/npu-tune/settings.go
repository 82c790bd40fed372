package main

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/models/zoo"
	"github.com/npu-tune/npu-tune/results"
	"github.com/npu-tune/npu-tune/results/table"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/tuner"
)

// options is what the main command is asked, checked.
type options struct {
	model       string        // a network's name, or a file
	source      *modelSource  // of a model that was read from a file, once it is
	dims        *dimensions   // sizes that the file leaves open; nil: none given
	gemm        *models.Layer // a single layer instead of a model; nil: a model
	size        zoo.Options
	npu         string
	cores       int64 // 0: as the NPU says
	passes      tuner.Passes
	objective   search.Objective
	strategy    search.Strategy
	budget      time.Duration
	maxEvals    int64 // 0: no bound
	seed        uint64
	workers     int // 0: one per CPU
	top         int
	pareto      bool
	sensitivity bool   // optima on other hardware too
	why         bool   // explain each best
	constraints string // a file of rules; empty: none
	out         string // empty: no file
	format      table.Format
	ended       results.End // how the run ended
}

// setting is a value that a flag, the environment or config.yaml can set.
// Whoever sets it, it is text that parse reads.
type setting struct {
	name    string
	kind    string // what stands for the value in the help; empty: true or false
	initial string // what holds if nobody sets it; empty: parse is not called
	usage   string
	parse   func(o *options, value string) error
	values  func() []string // for completion; nil where there is no list
}

// settings lists what can be set, in the order of the help.
func settings() []setting {
	return []setting{
		{"model", "NAME|FILE", "", "the network to tune ('npu-tune models' lists them), or a file: ONNX, YAML, SCALE-Sim, Timeloop",
			text(func(o *options) *string { return &o.model }), zoo.Names},
		{"gemm", "MxNxK[xB]", "", "a single layer instead of a network: Y[M,N] = X[M,K]·W[K,N], B times",
			parseGEMM, nil},
		{"batch", "N", "", fmt.Sprintf("images or sequences of a step (default %d)", zoo.DefaultBatch),
			number(func(o *options) *int64 { return &o.size.Batch }), nil},
		{"image", "PIXELS", "", "side of an input image (default: the network's)",
			number(func(o *options) *int64 { return &o.size.Image }), nil},
		{"seq", "TOKENS", "", "length of a sequence (default: the network's)",
			number(func(o *options) *int64 { return &o.size.Seq }), nil},
		{dimFlag, "NAME=N", "", "size that a model's file leaves open, such as batch=4; may be given several times",
			parseDims, nil},
		{"npu", "NAME|FILE", "small", "the NPU: a preset ('npu-tune npus' lists them) or a file: YAML, SCALE-Sim's .cfg, Timeloop's architecture",
			text(func(o *options) *string { return &o.npu }), hardware.PresetNames},
		{"cores", "N", "", "cores that a pass may use (default: the NPU's)",
			number(func(o *options) *int64 { return &o.cores }), nil},
		{"pass", "PASS", "training", "what to tune: " + list(tuner.PassesNames()),
			choice("pass", tuner.PassesNames, tuner.ParsePasses, func(o *options) *tuner.Passes { return &o.passes }), tuner.PassesNames},
		{"objective", "FIGURE", "latency", "what to make small: " + list(search.ObjectiveNames()),
			choice("objective", search.ObjectiveNames, search.ParseObjective, func(o *options) *search.Objective { return &o.objective }), search.ObjectiveNames},
		{"strategy", "NAME", "auto", "how to search: " + list(tuner.StrategyNames()),
			choice("strategy", tuner.StrategyNames, tuner.ParseStrategy, func(o *options) *search.Strategy { return &o.strategy }), tuner.StrategyNames},
		{"budget", "TIME", "1h", "longest time to search, such as 30s or 1h; the search ends earlier once all is proven",
			parseBudget, nil},
		{"max-evals", "N", "0", "bound on the exact evaluations of each search; 0: none",
			parseMaxEvals, nil},
		{"seed", "N", "1", "makes random choices repeatable", parseSeed, nil},
		{"workers", "N", "0", "passes that are tuned at a time; 0: one per CPU",
			small(0, func(o *options) *int { return &o.workers }), nil},
		{"top", "N", "3", "how many of the best schedules of each pass to export",
			small(1, func(o *options) *int { return &o.top }), nil},
		{"pareto", "", "false", "export the front of cycles, traffic and SPM bytes too",
			truth(func(o *options) *bool { return &o.pareto }), nil},
		{"sensitivity", "", "false", "find the optima at half and twice the SPM and the bandwidth too",
			truth(func(o *options) *bool { return &o.sensitivity }), nil},
		{"why", "", "false", "say for each pass what binds it, and why it is not interleaved",
			truth(func(o *options) *bool { return &o.why }), nil},
		{"constraints", "FILE", "", "YAML file of rules that schedules must satisfy (docs/constraints.md)",
			text(func(o *options) *string { return &o.constraints }), nil},
		{"out", "FILE", "best.json", "where to write the result as JSON; '' writes none",
			text(func(o *options) *string { return &o.out }), nil},
		{"format", "FORMAT", "table", "what to print: " + list(table.FormatNames()) + " (csv: the layers only)",
			choice("format", table.FormatNames, table.ParseFormat, func(o *options) *table.Format { return &o.format }), table.FormatNames},
	}
}

func text(at func(*options) *string) func(*options, string) error {
	return func(o *options, v string) error {
		*at(o) = v
		return nil
	}
}

// choice parses one of some names; the error offers the nearest.
func choice[T any](kind string, names func() []string, parse func(string) (T, error), at func(*options) *T) func(*options, string) error {
	return func(o *options, v string) error {
		value, err := parse(v)
		if err != nil {
			return unknown(kind, v, names())
		}
		*at(o) = value
		return nil
	}
}

// number parses a whole number of 1 to models.MaxDim.
func number(at func(*options) *int64) func(*options, string) error {
	return func(o *options, v string) error {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < 1 || n > models.MaxDim {
			return fmt.Errorf("got %q, want a whole number from 1 to %d", v, models.MaxDim)
		}
		*at(o) = n
		return nil
	}
}

// maxSmall bounds counts of workers and of schedules to keep.
const maxSmall = 10_000

// small parses a whole number of low to maxSmall.
func small(low int, at func(*options) *int) func(*options, string) error {
	return func(o *options, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < low || n > maxSmall {
			return fmt.Errorf("got %q, want a whole number from %d to %d", v, low, maxSmall)
		}
		*at(o) = n
		return nil
	}
}

func parseMaxEvals(o *options, v string) error {
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < 0 {
		return fmt.Errorf("got %q, want a whole number, 0 for no bound", v)
	}
	o.maxEvals = n
	return nil
}

func parseBudget(o *options, v string) error {
	d, err := time.ParseDuration(v)
	if err != nil || d <= 0 {
		return fmt.Errorf("got %q, want a time above zero with its unit, such as 30s, 10m or 1h", v)
	}
	o.budget = d
	return nil
}

func parseSeed(o *options, v string) error {
	n, err := strconv.ParseUint(v, 10, 64)
	if err != nil {
		return fmt.Errorf("got %q, want a whole number from 0 to %d", v, uint64(math.MaxUint64))
	}
	o.seed = n
	return nil
}

// truth parses true or false.
func truth(at func(*options) *bool) func(*options, string) error {
	return func(o *options, v string) error {
		b, err := strconv.ParseBool(v)
		if err != nil {
			return fmt.Errorf("got %q, want true or false", v)
		}
		*at(o) = b
		return nil
	}
}
