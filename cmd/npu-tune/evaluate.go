package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/evaluator/cases"
	"github.com/npu-tune/npu-tune/evaluator/simulator"
	"github.com/npu-tune/npu-tune/results"
	"github.com/npu-tune/npu-tune/results/table"
	"github.com/npu-tune/npu-tune/space"
)

func evaluators() []string { return []string{"analytic", "simulator"} }

func evaluateCommand() *cobra.Command {
	var with, format string
	c := silent(&cobra.Command{
		Use:   "evaluate FILE",
		Short: "Cost the schedules of a result, of a case or of a list of cases",
		Long: `Cost schedules: of a result that npu-tune wrote (the best one of each layer and pass), of a case, or of a
list of cases (docs/cost-model.md, section 8). With --format json it prints a list of objects with the
fields of a case's "expect". FILE may be - for standard input.`,
		Args: oneArgument,
		RunE: func(c *cobra.Command, args []string) error {
			f, err := parseFormat(format)
			if err != nil {
				return err
			}
			if err := checkEnum("evaluator", "evaluator", with, evaluators()); err != nil {
				return err
			}
			list, names, err := readCases(args[0], c.InOrStdin())
			if err != nil {
				return err
			}
			costs, err := costAll(with, list, names)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if f == table.JSON {
				return printCosts(c.OutOrStdout(), list, costs)
			}
			return costsTable(list, names, costs).Write(c.OutOrStdout(), f)
		},
	})
	enumFlag(c, &with, "evaluator", "NAME", "analytic", "what computes the cost", evaluators)
	formatFlag(c, &format)
	return c
}

// readCases reads cases, or a result's best schedules, and what to call each.
func readCases(path string, stdin io.Reader) ([]cases.Case, []string, error) {
	data, err := readAll(path, stdin)
	if err != nil {
		return nil, nil, usage(err)
	}
	if results.IsDocument(data) {
		d, err := results.Decode(data)
		if err != nil {
			return nil, nil, usagef("%s: %w", path, err)
		}
		list, names := d.Cases()
		return list, names, nil
	}
	list, err := cases.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, nil, usagef("%s: %w", path, err)
	}
	names := make([]string, len(list))
	for i := range names {
		names[i] = caseName(i)
	}
	return list, names, nil
}

func readAll(path string, stdin io.Reader) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(path)
}

// costAll costs each case. A schedule that is illegal or does not fit is the
// input's error.
func costAll(with string, list []cases.Case, names []string) ([]evaluator.Cost, error) {
	var e evaluator.Evaluator = &analytic.Evaluator{}
	if with == "simulator" {
		e = simulator.New()
	}
	costs := make([]evaluator.Cost, len(list))
	result := make([]evaluator.Result, 1)
	for i := range list {
		if err := e.Evaluate(context.Background(), &list[i].Problem, []space.Schedule{list[i].Schedule}, result); err != nil {
			return nil, fmt.Errorf("%s: %w", names[i], err)
		}
		switch result[0].Status {
		case evaluator.OK:
			costs[i] = result[0].Cost
		case evaluator.Failed:
			return nil, fmt.Errorf("%s: evaluator %s failed: %s", names[i], e.Name(), result[0].Reason)
		default:
			return nil, usagef("%s: %s", names[i], result[0].Reason)
		}
	}
	return costs, nil
}

// printCosts prints a JSON list, an object a line.
func printCosts(w io.Writer, list []cases.Case, costs []evaluator.Cost) error {
	var b bytes.Buffer
	b.WriteString("[")
	for i := range costs {
		object, err := cases.EncodeCost(list[i].Schedule.Pass, &costs[i])
		if err != nil {
			return err
		}
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n  ")
		b.Write(object)
	}
	b.WriteString("\n]\n")
	if !json.Valid(b.Bytes()) {
		return fmt.Errorf("a cost is no valid JSON")
	}
	_, err := w.Write(b.Bytes())
	return err
}

func costsTable(list []cases.Case, names []string, costs []evaluator.Cost) *table.Table {
	t := &table.Table{Columns: []table.Column{
		{Title: "schedule", Key: "schedule"},
		{Title: "pass", Key: "pass"},
		{Title: "cycles", Key: "cycles", Digits: 2},
		{Title: "array cycles", Key: "compute_cycles"},
		{Title: "tile ops", Key: "ops"},
		{Title: "DRAM bytes", Key: "dram_bytes"},
		{Title: "dY bytes", Key: "dy_bytes"},
		{Title: "SPM bytes", Key: "spm_bytes"},
		{Title: "SPM access bytes", Key: "spm_access_bytes"},
		{Title: "MACs", Key: "macs"},
		{Title: "energy pJ", Key: "energy_pj", Digits: 1},
		{Title: "as in the file", Key: "matches"},
	}}
	for i := range costs {
		c := &costs[i]
		dy := c.Traffic[space.GradY]
		var matches any
		if list[i].Expect != nil {
			matches = len(cases.Diff(c, list[i].Expect)) == 0
		}
		t.Add(names[i], list[i].Schedule.Pass.String(), c.Cycles, c.ComputeCycles, c.Ops, c.DRAMBytes, dy.Read+dy.Write,
			c.SPMBytes, c.SPMAccessBytes, c.MACs, c.EnergyPJ, matches)
	}
	return t
}
