package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/models/zoo"
)

// loadModel builds the network that the options name, or one of a single layer,
// or reads the model's file, which o.source then says.
func loadModel(o *options) (models.Model, error) {
	if o.gemm != nil {
		return gemmModel(*o.gemm), nil
	}
	if o.model == "" {
		return models.Model{}, usagef("no model given, want --model with one of %s or a file, or --gemm", strings.Join(zoo.Names(), ", "))
	}
	if isModelFile(o.model) {
		m, source, err := importModel(o.model, sizes{o.size, o.dims})
		o.source = source
		if err != nil {
			err = usagef("--model: %w", err)
		}
		return m, err
	}
	return buildModel(o.model, o.size)
}

func buildModel(name string, size zoo.Options) (models.Model, error) {
	m, err := zoo.Build(name, size)
	if errors.Is(err, zoo.ErrUnknown) {
		err = unknown("model", name, zoo.Names())
	}
	return m, usage(err)
}

// loadNPU returns a preset, or reads a file: what looks like a path, or
// is the name of a file and of no preset. Cores of 0 leave the NPU's.
func loadNPU(name string, cores int64) (*hardware.NPU, error) {
	load := hardware.Preset
	if isFile(name) {
		load = loadNPUFile
	}
	npu, err := load(name)
	if err == nil && cores > 0 {
		npu, err = npu.WithCores(cores)
	}
	if err != nil {
		return nil, usagef("--npu: %w", err)
	}
	return npu, nil
}

func isFile(name string) bool {
	if slices.Contains(hardware.PresetNames(), name) {
		return false
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".yaml", ".yml", ".json", ".cfg":
		return true
	}
	if strings.ContainsRune(name, os.PathSeparator) {
		return true
	}
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}
