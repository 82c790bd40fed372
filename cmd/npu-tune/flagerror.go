package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/npu-tune/npu-tune/internal/nearest"
	"github.com/npu-tune/npu-tune/models/zoo"
)

// flagError says what is wrong with a flag, and offers the nearest name for an
// unknown one.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return usage(err)
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return usagef("%w%s", err, nearest.Hint("--"+unknown.GetSpecifiedName(), names))
}

// oneArgument asks for the one argument that the command's usage names.
func oneArgument(c *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	_, name, _ := strings.Cut(c.Use, " ")
	return fmt.Errorf("%d arguments given, want one: %s %s", len(args), c.CommandPath(), name)
}

// noArguments reports arguments of a command that takes only subcommands, and
// offers the nearest one.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if c.Flags().Lookup("model") != nil && slices.Contains(zoo.Names(), args[0]) {
		return fmt.Errorf("unknown command %q, did you mean --model %s?", args[0], args[0])
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return unknown("command", args[0], names)
}
