package main

import (
	"github.com/spf13/cobra"

	"github.com/npu-tune/npu-tune/models/file"
	"github.com/npu-tune/npu-tune/results"
)

// schemaNames lists what there are schemas of.
func schemaNames() []string { return []string{"result", "model"} }

func schemaCommand() *cobra.Command {
	return silent(&cobra.Command{
		Use:               "schema [result|model]",
		Short:             "Print the JSON Schema of results, or of model files",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeFirst(schemaNames, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(c *cobra.Command, args []string) error {
			of := append(args, schemaNames()[0])[0]
			var schema []byte
			switch of {
			case "result":
				schema = results.SchemaJSON()
			case "model":
				schema = file.SchemaJSON()
			default:
				return usage(unknown("schema", of, schemaNames()))
			}
			_, err := c.OutOrStdout().Write(schema)
			return err
		},
	})
}
