package main

import (
	"github.com/spf13/cobra"

	"github.com/npu-tune/npu-tune/results"
)

func schemaCommand() *cobra.Command {
	return silent(&cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of results",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := c.OutOrStdout().Write(results.SchemaJSON())
			return err
		},
	})
}
