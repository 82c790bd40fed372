package main

import (
	"github.com/spf13/cobra"

	"github.com/npu-tune/npu-tune/results"
	"github.com/npu-tune/npu-tune/space/rules"
)

// schemas are what the schema command prints, by name.
func schemas() map[string]func() []byte {
	return map[string]func() []byte{"result": results.SchemaJSON, "constraints": rules.SchemaJSON}
}

func schemaNames() []string { return []string{"result", "constraints"} }

func schemaCommand() *cobra.Command {
	return silent(&cobra.Command{
		Use:               "schema [result|constraints]",
		Short:             "Print the JSON Schema of results, or of another file",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeFirst(schemaNames, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(c *cobra.Command, args []string) error {
			name := "result"
			if len(args) > 0 {
				name = args[0]
			}
			text, ok := schemas()[name]
			if !ok {
				return usage(unknown("schema", name, schemaNames()))
			}
			_, err := c.OutOrStdout().Write(text())
			return err
		},
	})
}
