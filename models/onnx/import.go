package onnx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/npu-tune/npu-tune/models"
)

// Options sizes what a file leaves open.
type Options struct {
	// Dims sets symbolic dimensions by name. A dimension without a name is
	// called by its input and axis, as in "x[0]". The name of an input that
	// is one integer sets its value; the name of a loop with ".trips" behind
	// it sets how often the loop runs.
	Dims map[string]int64
	// Batch replaces the leading dimension of the graph's inputs; 0 keeps it.
	// Where that of the first input is a name, those that are names are set;
	// where it is a number, those that equal it are replaced.
	Batch int64
}

// Import is a file as a model.
type Import struct {
	Model  models.Model
	Report Report
}

// Load imports the file at path. Only the graph is read: neither weights nor
// files that the graph refers to. Errors wrap ErrONNX where the file is at
// fault, ErrOption where o is, and those of the file system.
func Load(path string, o Options) (*Import, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("ONNX file: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("ONNX file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is no regular file", ErrONNX, path)
	}
	return Read(f, info.Size(), path, o)
}

// Parse imports a file that lies in memory; see Load. name stands for the file
// in errors, and its last element without extension is the model's name.
func Parse(data []byte, name string, o Options) (*Import, error) {
	return Read(bytes.NewReader(data), int64(len(data)), name, o)
}

// Read imports size bytes of r; see Parse.
func Read(r io.ReaderAt, size int64, name string, o Options) (*Import, error) {
	d := &decoder{wire: &wire{source: r, size: size}}
	proto, err := d.model()
	if err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrONNX, name, err)
	}
	result, err := importModel(proto, o)
	if err != nil {
		if errors.Is(err, ErrOption) {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return nil, fmt.Errorf("%w %s: %w", ErrONNX, name, err)
	}
	base := filepath.Base(name)
	result.Model.Name = strings.TrimSuffix(base, filepath.Ext(base))
	return result, nil
}

func importModel(proto *modelProto, o Options) (*Import, error) {
	im, err := newImporter(proto, o)
	if err != nil {
		return nil, err
	}
	if im.rebatched() {
		// How fixed shapes were meant shows only with the batch that they were fixed for.
		first, err := newImporter(proto, Options{Dims: o.Dims})
		if err != nil {
			return nil, err
		}
		first.reshapes = map[reshapeKey]reshaped{}
		if err := first.run(); err != nil {
			return nil, err
		}
		im.before = first.reshapes
	}
	if err := im.run(); err != nil {
		return nil, err
	}
	return im.finish()
}
