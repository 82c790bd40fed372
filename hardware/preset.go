package hardware

import (
	"embed"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/npu-tune/npu-tune/internal/nearest"
)

// ErrUnknownPreset is wrapped by the error of Preset and PresetYAML.
var ErrUnknownPreset = errors.New("unknown NPU preset")

//go:embed presets/*.yaml
var presets embed.FS

const presetFolder, presetExt = "presets", ".yaml"

// PresetNames returns the names of the embedded NPUs, sorted.
func PresetNames() []string {
	entries, err := presets.ReadDir(presetFolder)
	if err != nil {
		return nil // the folder is part of the program
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), presetExt))
	}
	return names
}

// PresetYAML returns the YAML of an embedded NPU, with the source of each
// figure in its comments. The error for a name that is none wraps
// ErrUnknownPreset and offers the nearest.
func PresetYAML(name string) ([]byte, error) {
	names := PresetNames()
	for _, n := range names {
		if n == name {
			return presets.ReadFile(path.Join(presetFolder, name+presetExt))
		}
	}
	return nil, fmt.Errorf("%w %q, want one of %s%s", ErrUnknownPreset, name, strings.Join(names, ", "), nearest.Hint(name, names))
}

// Preset returns an embedded NPU; errors are those of PresetYAML.
func Preset(name string) (*NPU, error) {
	data, err := PresetYAML(name)
	if err != nil {
		return nil, err
	}
	return Parse(data, "preset "+name)
}
