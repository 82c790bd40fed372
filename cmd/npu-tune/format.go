package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/npu-tune/npu-tune/results/table"
)

// formatFlag defines --format of a command that prints tables.
func formatFlag(c *cobra.Command, value *string) {
	enumFlag(c, value, "format", "FORMAT", table.Text.String(), "what to print", table.FormatNames)
}

// enumFlag defines a flag that takes one of some names.
func enumFlag(c *cobra.Command, value *string, name, kind, initial, use string, values func() []string) {
	c.Flags().Var(&boundFlag{value, kind}, name, use+": "+list(values()))
	*value = initial
	c.Flags().Lookup(name).DefValue = initial
	complete(c, name, values)
}

// boundFlag is a flag of any text that stores it in a variable.
type boundFlag struct {
	value *string
	kind  string
}

func (b *boundFlag) String() string {
	if b.value == nil {
		return ""
	}
	return *b.value
}
func (b *boundFlag) Type() string { return b.kind }
func (b *boundFlag) Set(v string) error {
	*b.value = v
	return nil
}

func parseFormat(name string) (table.Format, error) {
	f, err := table.ParseFormat(name)
	if err != nil {
		return 0, usagef("--format: %w", unknown("format", name, table.FormatNames()))
	}
	return f, nil
}

// checkEnum reports a flag's value that is none of the names.
func checkEnum(flag, kind, value string, names []string) error {
	if slices.Contains(names, value) {
		return nil
	}
	return usagef("--%s: %w", flag, unknown(kind, value, names))
}
