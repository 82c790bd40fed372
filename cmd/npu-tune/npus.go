package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/results/table"
)

func npusCommand() *cobra.Command {
	var format string
	c := silent(&cobra.Command{
		Use:   "npus",
		Short: "List the NPUs, or show one",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := parseFormat(format)
			if err != nil {
				return err
			}
			t, err := npusTable()
			if err != nil {
				return err
			}
			return t.Write(c.OutOrStdout(), f)
		},
	})
	formatFlag(c, &format)
	c.AddCommand(npuCommand())
	return c
}

func npusTable() (*table.Table, error) {
	t := &table.Table{Title: "NPUs", Columns: []table.Column{
		{Title: "name", Key: "name"},
		{Title: "array", Key: "array"},
		{Title: "cores", Key: "cores"},
		{Title: "MHz", Key: "clock_mhz", Digits: 0},
		{Title: "SPM KiB per core", Key: "spm_bytes_per_core", Scale: 1024, Digits: 0},
		{Title: "DRAM GB/s", Key: "dram_gb_per_s", Digits: 1},
		{Title: "peak TMAC/s", Key: "peak_tmacs", Digits: 2},
		{Title: "description", Key: "description"},
	}}
	for _, name := range hardware.PresetNames() {
		n, err := hardware.Preset(name)
		if err != nil {
			return nil, err
		}
		p := n.Params()
		t.Add(name, fmt.Sprintf("%d×%d", n.Array.Rows, n.Array.Cols), n.Cores, n.ClockMHz, p.SPMBytes(), n.TotalGBPerS(), n.PeakTMACs(), n.Description)
	}
	return t, nil
}

// npuFormats are the formats of one NPU; its YAML is a beginning for one's own.
func npuFormats() []string { return []string{"table", "yaml", "json"} }

func npuCommand() *cobra.Command {
	var format string
	c := silent(&cobra.Command{
		Use:               "show NAME|FILE",
		Short:             "Show an NPU's figures; as YAML, a beginning for a file of your own",
		Args:              oneArgument,
		ValidArgsFunction: completeFirst(hardware.PresetNames, cobra.ShellCompDirectiveDefault),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkEnum("format", "format", format, npuFormats()); err != nil {
				return err
			}
			npu, err := loadNPU(args[0], 0)
			if err != nil {
				return err
			}
			return printNPU(c.OutOrStdout(), args[0], npu, format)
		},
	})
	enumFlag(c, &format, "format", "FORMAT", "table", "what to print", npuFormats)
	return c
}

func printNPU(w io.Writer, name string, npu *hardware.NPU, format string) error {
	var data []byte
	var err error
	switch {
	case format == "json":
		if data, err = json.MarshalIndent(npu, "", "  "); err == nil {
			data = append(data, '\n')
		}
	case format == "yaml" && isFile(name):
		data, err = npu.YAML()
	case format == "yaml":
		data, err = hardware.PresetYAML(name) // with its comments
	default:
		data = []byte(npu.Summary())
	}
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}
