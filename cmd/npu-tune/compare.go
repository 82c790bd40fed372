package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/npu-tune/npu-tune/results"
	"github.com/npu-tune/npu-tune/results/table"
)

func compareCommand() *cobra.Command {
	var format, schedules string
	c := silent(&cobra.Command{
		Use:   "compare FILE...",
		Short: "Put results side by side; of one, its schedules beside hand-tuned ones",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			f, err := parseFormat(format)
			if err != nil {
				return err
			}
			docs, err := readDocuments(args)
			if err != nil {
				return err
			}
			if schedules != "" {
				return compareSchedules(c, docs, schedules, f)
			}
			if len(docs) == 1 {
				return printDocument(c.OutOrStdout(), docs[0].Document, f, false)
			}
			jobs, err := results.CompareJobs(docs)
			if err != nil {
				return usage(err)
			}
			return printComparison(c.OutOrStdout(), jobs, results.CompareTotals(docs), f)
		},
	})
	c.Flags().Var(&boundFlag{&schedules, "FILE"}, "schedule", "YAML or JSON file of schedules to cost beside those of one result; what they leave open is filled with the best")
	formatFlag(c, &format)
	return c
}

func readDocuments(paths []string) ([]results.Named, error) {
	docs := make([]results.Named, len(paths))
	for i, path := range paths {
		d, err := results.Read(path)
		if err != nil {
			return nil, usage(err)
		}
		docs[i] = results.Named{Name: shortName(paths, i), Document: d}
	}
	return docs, nil
}

// shortName is the file's name without folder and extension, or the whole path
// where another file has the same one.
func shortName(paths []string, i int) string {
	short := func(p string) string { return strings.TrimSuffix(filepath.Base(p), filepath.Ext(p)) }
	for j := range paths {
		if j != i && short(paths[j]) == short(paths[i]) {
			if paths[j] == paths[i] {
				return fmt.Sprintf("%s#%d", paths[i], i+1)
			}
			return paths[i]
		}
	}
	return short(paths[i])
}

// printComparison prints both tables; as CSV the jobs, as JSON both in an
// object.
func printComparison(w io.Writer, jobs, totals *table.Table, f table.Format) error {
	switch f {
	case table.CSV:
		return jobs.Write(w, f)
	case table.JSON:
		j, err := tableJSON(jobs)
		if err != nil {
			return err
		}
		t, err := tableJSON(totals)
		if err != nil {
			return err
		}
		data, err := json.MarshalIndent(map[string]json.RawMessage{"jobs": j, "totals": t}, "", "  ")
		if err == nil {
			_, err = w.Write(append(data, '\n'))
		}
		return err
	}
	return printTables(w, f, jobs, totals)
}

// tableJSON returns a table as part of a larger object.
func tableJSON(t *table.Table) (json.RawMessage, error) {
	var b bytes.Buffer
	err := t.Write(&b, table.JSON)
	return b.Bytes(), err
}
