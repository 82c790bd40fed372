package main

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/npu-tune/npu-tune/models/file"
	"github.com/npu-tune/npu-tune/models/zoo"
	"github.com/npu-tune/npu-tune/results"
)

func modelsConvertCommand() *cobra.Command {
	var out, format string
	formats := func() []string { return []string{"yaml", "json"} }
	c := silent(&cobra.Command{
		Use:   "convert NAME|FILE",
		Short: "Write a network or a model's file as YAML (docs/model-format.md)",
		Long: `Write a network, or a file of ONNX, SCALE-Sim or Timeloop, as a model file of npu-tune's own (docs/model-format.md), to edit
and to give to --model. What the import left out or assumed stands in its notes and on standard error.`,
		Args:              oneArgument,
		ValidArgsFunction: completeFirst(zoo.Names, cobra.ShellCompDirectiveDefault),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkEnum("format", "format", format, formats()); err != nil {
				return err
			}
			s, err := sizesOf(c.Flags())
			if err != nil {
				return err
			}
			if out != "" {
				if err := results.CheckWritable(out); err != nil {
					return usagef("-o: %w", err)
				}
			}
			m, source, err := anyModel(args[0], s)
			if err != nil {
				return err
			}
			if err := source.printReport(c.ErrOrStderr()); err != nil {
				return err
			}
			data := file.YAML(m)
			if format == "json" || strings.ToLower(filepath.Ext(out)) == ".json" && !c.Flags().Changed("format") {
				data = file.JSON(m)
			}
			write := func(w io.Writer) error {
				_, err := w.Write(data)
				return err
			}
			if out == "" {
				return write(c.OutOrStdout())
			}
			return results.WriteFile(out, write)
		},
	})
	c.Flags().VarP(&boundFlag{&out, "FILE"}, "out", "o", "where to write it (default: standard output)")
	enumFlag(c, &format, "format", "FORMAT", "yaml", "what to write; a FILE.json is JSON without it", formats)
	sizeFlags(c)
	return c
}
