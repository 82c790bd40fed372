package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/hardware/scalesim"
	"github.com/npu-tune/npu-tune/hardware/timeloop"
)

func npuExtensions() []string { return []string{".yaml", ".yml", ".json", ".cfg"} }

// loadNPUFile reads an NPU from a file.
func loadNPUFile(path string) (*hardware.NPU, error) {
	npu, _, err := importNPU(path)
	return npu, err
}

// importNPU reads an NPU from a file: YAML of ours or Timeloop's, or a
// configuration of SCALE-Sim. Notes say what of the latter two is assumed.
func importNPU(path string) (npu *hardware.NPU, notes []string, err error) {
	if err := checkFile(path, npuExtensions()); err != nil {
		return nil, nil, err
	}
	if strings.ToLower(filepath.Ext(path)) == ".cfg" {
		return scalesim.Load(path)
	}
	data, err := readBounded(path, maxText)
	if err != nil {
		return nil, nil, err
	}
	if timeloop.Is(data) {
		return timeloop.Parse(data, path)
	}
	npu, err = hardware.Parse(data, path)
	return npu, nil, err
}

// printImports says what imports of a model and of an NPU found and assumed.
func printImports(w io.Writer, o *options) error {
	if err := o.source.printReport(w); err != nil || !isFile(o.npu) {
		return err
	}
	_, notes, err := importNPU(o.npu)
	if err != nil {
		return usagef("--npu: %w", err)
	}
	for _, n := range notes {
		if _, err := fmt.Fprintf(w, "npu-tune: note: %s: %s\n", o.npu, n); err != nil {
			return err
		}
	}
	return nil
}
