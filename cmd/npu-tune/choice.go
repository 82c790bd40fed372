package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/npu-tune/npu-tune/internal/nearest"
)

// unknown says that a value is none of a kind, what would be, and which is
// nearest.
func unknown(kind, got string, names []string) error {
	if best, ok := nearest.Name(got, names); ok {
		return fmt.Errorf("unknown %s %q, did you mean %q? (known: %s)", kind, got, best, strings.Join(names, ", "))
	}
	return fmt.Errorf("unknown %s %q, want %s", kind, got, list(names))
}

// list joins names with commas and a last "or".
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// complete offers fixed values for a flag in the shell; where a file may stand
// for them, files too.
func complete(c *cobra.Command, flag string, values func() []string) {
	otherwise := cobra.ShellCompDirectiveNoFileComp
	if strings.Contains(c.Flags().Lookup(flag).Value.Type(), "FILE") {
		otherwise = cobra.ShellCompDirectiveDefault
	}
	// The only error is a flag that is not defined, which would be a bug here.
	if err := c.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values(), otherwise
	}); err != nil {
		panic(err)
	}
}

// completeFirst offers values for a command's only argument.
func completeFirst(values func() []string, otherwise cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return values(), otherwise
	}
}
