package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/npu-tune/npu-tune/models/zoo"
	"github.com/npu-tune/npu-tune/results/table"
)

func modelsCommand() *cobra.Command {
	var format string
	c := silent(&cobra.Command{
		Use:   "models",
		Short: "List the networks, show the layers of one or of a file, or convert a file",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := parseFormat(format)
			if err != nil {
				return err
			}
			t, err := modelsTable()
			if err != nil {
				return err
			}
			return t.Write(c.OutOrStdout(), f)
		},
	})
	formatFlag(c, &format)
	c.AddCommand(modelCommand(), modelsConvertCommand())
	return c
}

// modelsTable lists the networks with their sizes by default.
func modelsTable() (*table.Table, error) {
	t := &table.Table{
		Title: fmt.Sprintf("Networks (figures of a batch of %d)", zoo.DefaultBatch),
		Columns: []table.Column{
			{Title: "name", Key: "name"},
			{Title: "network", Key: "title"},
			{Title: "input", Key: "input"},
			{Title: "layers", Key: "layers"},
			{Title: "distinct", Key: "distinct_layers"},
			{Title: "GMAC forward", Key: "forward_macs", Scale: 1e9, Digits: 2},
			{Title: "M parameters", Key: "parameters", Scale: 1e6, Digits: 2},
			{Key: "source", Hidden: true},
		},
	}
	for _, name := range zoo.Names() {
		info, err := zoo.Describe(name)
		if err != nil {
			return nil, err
		}
		m, err := zoo.Build(name, zoo.Options{})
		if err != nil {
			return nil, err
		}
		distinct, _ := m.Distinct()
		t.Add(name, info.Title, input(info), int64(len(m.Layers)), int64(len(distinct)), m.MACs(), m.Parameters(), info.Source)
	}
	return t, nil
}

// input says what a network is fed with by default.
func input(i zoo.Info) string {
	switch i.Kind {
	case zoo.Image:
		return fmt.Sprintf("images of %d pixels", i.DefaultImage)
	case zoo.Sequence:
		return fmt.Sprintf("sequences of %d", i.DefaultSeq)
	}
	return "records"
}
