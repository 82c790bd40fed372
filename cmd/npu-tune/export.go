package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/npu-tune/npu-tune/results"
	"github.com/npu-tune/npu-tune/results/export"
	"github.com/npu-tune/npu-tune/results/table"
	"github.com/npu-tune/npu-tune/space/handtuned/pytorchsim"
)

// exported is what the export command is asked.
type exported struct {
	layer, pass, schedule string
	to, out               string
}

func exportForms() []string {
	return []string{"loopnest", "c", "numpy", "timeloop", "pytorchsim", "csv"}
}

func exportCommand() *cobra.Command {
	var e exported
	c := silent(&cobra.Command{
		Use:   "export FILE",
		Short: "Write a schedule as a loop nest, C with DMA calls, a NumPy script, for Timeloop or PyTorchSim",
		Long: `Write a schedule of a result that npu-tune wrote, or a case (docs/cost-model.md, section 8), for other
programs (docs/exports.md):

  loopnest    the loops as text
  c           a C program with explicit DMA transfers and SPM offsets that checks itself; with --out the
              stub of the DMA engine is written beside it
  numpy       a script that computes the pass in the schedule's order and checks itself
  timeloop    problem, architecture and mapping of each operation; --out names a directory
  pytorchsim  the tiles by shape; without --layer of all layers' best schedules
  csv         the table of all layers and passes of a result`,
		Example: `  npu-tune export best.json --layer layer1.0.conv1 --to numpy --out check.py && python3 check.py
  npu-tune export best.json --layer layer1.0.conv1 --to c --out layer.c && cc layer.c && ./a.out`,
		Args: oneArgument,
		RunE: func(c *cobra.Command, args []string) error { return e.run(c, args[0]) },
	})
	flags := c.Flags()
	flags.SortFlags = false
	flags.Var(&boundFlag{&e.layer, "NAME"}, "layer", "the layer; of a list of cases cases[0] and so on (default: the only one)")
	flags.Var(&boundFlag{&e.pass, "PASS"}, "pass", "forward, backward or dw (default: the backward pass if there is one)")
	flags.Var(&boundFlag{&e.schedule, "NAME"}, "schedule", "best, top-2 and so on, pareto-1 and so on, or a hand-tuned one such as conventional (default: best)")
	enumFlag(c, &e.to, "to", "FORM", "loopnest", "what to write", exportForms)
	flags.Var(&boundFlag{&e.out, "PATH"}, "out", "where to write it (default: standard output)")
	return c
}

func (e *exported) run(c *cobra.Command, path string) error {
	if err := checkEnum("to", "form", e.to, exportForms()); err != nil {
		return err
	}
	data, err := readAll(path, c.InOrStdin())
	if err != nil {
		return usage(err)
	}
	if e.to == "csv" {
		return e.csv(c, path, data)
	}
	list, err := decodeTargets(path, data)
	if err != nil {
		return err
	}
	if e.to == "pytorchsim" && e.layer == "" {
		return e.tiles(c, best(list))
	}
	t, err := choose(list, e.layer, e.pass, e.schedule)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := t.problem.Legal(t.s); err != nil {
		return usagef("%s: %s: %w", path, t.name(), err)
	}
	return e.one(c, t)
}

// one writes one schedule.
func (e *exported) one(c *cobra.Command, t *target) error {
	switch e.to {
	case "c":
		return e.c(c, t)
	case "numpy":
		text, err := export.NumPy(t.problem, t.s, t.name())
		if err != nil {
			return err
		}
		return e.write(c, text)
	case "timeloop":
		return e.timeloop(c, t)
	case "pytorchsim":
		return e.tiles(c, []target{*t})
	}
	return e.write(c, []byte(t.problem.LoopNest(t.s)))
}

// best keeps the first schedule of each layer and pass.
func best(list []target) []target {
	seen := map[string]bool{}
	return filter(list, func(t *target) bool {
		first := t.s != nil && !seen[t.layer+"\x00"+t.pass]
		seen[t.layer+"\x00"+t.pass] = true
		return first
	})
}

// write writes a file, or to standard output.
func (e *exported) write(c *cobra.Command, text []byte) error {
	if e.out == "" {
		_, err := c.OutOrStdout().Write(text)
		return err
	}
	return writeExport(e.out, text)
}

func writeExport(path string, text []byte) error {
	if err := results.CheckWritable(path); err != nil {
		return usagef("--out: %w", err)
	}
	return results.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// c writes a C program, and the header beside it; on standard output the header
// stands in the place of its inclusion.
func (e *exported) c(c *cobra.Command, t *target) error {
	text, err := export.C(t.problem, t.s, t.name())
	if err != nil {
		return usage(err)
	}
	if e.out == "" {
		include := []byte(fmt.Sprintf("#include %q\n", export.HeaderName))
		return e.write(c, bytes.Replace(text, include, export.Header(), 1))
	}
	if err := writeExport(filepath.Join(filepath.Dir(e.out), export.HeaderName), export.Header()); err != nil {
		return err
	}
	return e.write(c, text)
}

// timeloop writes three files per operation to a directory, or all of them to
// standard output.
func (e *exported) timeloop(c *cobra.Command, t *target) error {
	files, err := export.Timeloop(t.problem, t.s)
	if err != nil {
		return err
	}
	if e.out != "" {
		if err := os.MkdirAll(e.out, 0o755); err != nil {
			return usagef("--out: %w", err)
		}
	}
	var all []byte
	for _, f := range files {
		for _, part := range []struct {
			name string
			text []byte
		}{{"prob", f.Problem}, {"arch", f.Arch}, {"map", f.Mapping}} {
			name := fmt.Sprintf("%s.%s.yaml", f.Op, part.name)
			all = append(all, fmt.Sprintf("---\n# %s\n%s", name, part.text)...)
			if e.out == "" {
				continue
			}
			if err := writeExport(filepath.Join(e.out, name), part.text); err != nil {
				return err
			}
		}
	}
	if e.out != "" {
		return nil
	}
	return e.write(c, all)
}

// tiles writes the tiles of schedules by their GEMMs' shapes; of several tiles
// of one shape the first.
func (e *exported) tiles(c *cobra.Command, list []target) error {
	var tiles []pytorchsim.Tile
	for i := range list {
		s := list[i].problem.Canonical(*list[i].s)
		tiles = append(tiles, pytorchsim.Of(list[i].problem, &s)...)
	}
	return e.write(c, pytorchsim.Encode(tiles))
}

// csv writes the table of a result.
func (e *exported) csv(c *cobra.Command, path string, data []byte) error {
	if !results.IsDocument(data) {
		return usagef("%s: want a result of npu-tune for --to csv; 'npu-tune evaluate --format csv' costs cases", path)
	}
	d, err := results.Decode(data)
	if err != nil {
		return usagef("%s: %w", path, err)
	}
	var b strings.Builder
	if err := d.LayersTable().Write(&b, table.CSV); err != nil {
		return err
	}
	return e.write(c, []byte(b.String()))
}
