package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/models/zoo"
	"github.com/npu-tune/npu-tune/results/table"
)

func modelCommand() *cobra.Command {
	var format string
	c := silent(&cobra.Command{
		Use:               "show NAME|FILE",
		Short:             "Show the layers of a network or of a model's file",
		Args:              oneArgument,
		ValidArgsFunction: completeFirst(zoo.Names, cobra.ShellCompDirectiveDefault),
		RunE: func(c *cobra.Command, args []string) error {
			f, err := parseFormat(format)
			if err != nil {
				return err
			}
			s, err := sizesOf(c.Flags())
			if err != nil {
				return err
			}
			m, source, err := anyModel(args[0], s)
			if err != nil {
				return err
			}
			if f == table.CSV || f == table.JSON {
				if err := source.printReport(c.ErrOrStderr()); err != nil {
					return err
				}
			}
			return printModel(c.OutOrStdout(), m, source, f)
		},
	})
	formatFlag(c, &format)
	sizeFlags(c)
	return c
}

// sizeFlags adds the flags that size a model.
func sizeFlags(c *cobra.Command) {
	for _, s := range settings() {
		if isSize(s.name) {
			addFlag(c, s)
		}
	}
}

func isSize(setting string) bool {
	return setting == "batch" || setting == "image" || setting == "seq" || setting == dimFlag
}

// anyModel builds a network, or reads a file; source is nil for a network.
func anyModel(name string, s sizes) (models.Model, *modelSource, error) {
	if isModelFile(name) {
		return importModel(name, s)
	}
	if s.dims != nil {
		return models.Model{}, nil, usagef("--dim: only a model's file has dimensions with names, want --batch, --image or --seq")
	}
	m, err := buildModel(name, s.size)
	return m, nil, err
}

// sizesOf reads the flags that size a model.
func sizesOf(flags *pflag.FlagSet) (sizes, error) {
	var (
		o    options
		errs []error
	)
	for _, s := range settings() {
		if !isSize(s.name) || !flags.Changed(s.name) {
			continue
		}
		if err := s.parse(&o, flags.Lookup(s.name).Value.String()); err != nil {
			errs = append(errs, usagef("--%s: %w", s.name, err))
		}
	}
	return sizes{o.size, o.dims}, errors.Join(errs...)
}

func printModel(w io.Writer, m models.Model, source *modelSource, f table.Format) error {
	t := &table.Table{
		Title: fmt.Sprintf("%s: %.2f GMAC forward, %.2f M parameters", m.Name, float64(m.MACs())/1e9, float64(m.Parameters())/1e6),
		Columns: []table.Column{
			{Title: "layer", Key: "layer"},
			{Title: "×", Key: "count"},
			{Title: "m", Key: "m"},
			{Title: "n", Key: "n"},
			{Title: "k", Key: "k"},
			{Title: "batch", Key: "batch"},
			{Title: "window", Key: "window"},
			{Title: "MMAC", Key: "macs", Scale: 1e6, Digits: 2},
			{Title: "parameters", Key: "parameters"},
			{Title: "gradients", Key: "gradients"},
		},
	}
	for _, l := range m.Layers {
		t.Add(l.Name, l.Occurrences(), l.M, l.N, l.K, l.Batches(), window(l.Conv), l.MACs(), l.Parameters(), gradients(l))
	}
	if err := t.Write(w, f); err != nil || f == table.CSV || f == table.JSON {
		return err
	}
	if source != nil {
		_, err := fmt.Fprintf(w, "\n%s", source.report)
		return err
	}
	info, err := zoo.Describe(m.Name)
	if err != nil {
		return err
	}
	for _, note := range append([]string{"Source: " + info.Source}, m.Notes...) {
		if _, err := fmt.Fprintf(w, "\n%s\n", note); err != nil {
			return err
		}
	}
	return nil
}

// window describes a convolution's filter: rows × columns, stride, dilation.
func window(c *models.Conv) any {
	if c == nil {
		return nil
	}
	s := fmt.Sprintf("%d×%d", c.R, c.S)
	if c.StrideH != 1 || c.StrideW != 1 {
		s += fmt.Sprintf(" stride %s", pair(c.StrideH, c.StrideW))
	}
	if c.DilationH != 1 || c.DilationW != 1 {
		s += fmt.Sprintf(" dilation %s", pair(c.DilationH, c.DilationW))
	}
	return s + fmt.Sprintf(" on %d×%d", c.H, c.W)
}

func pair(a, b int64) string {
	if a == b {
		return fmt.Sprint(a)
	}
	return fmt.Sprintf("%d×%d", a, b)
}

func gradients(l models.Layer) string {
	switch {
	case l.Activations:
		return "dA, dB"
	case l.NoInputGrad:
		return "dW"
	}
	return "dX, dW"
}
