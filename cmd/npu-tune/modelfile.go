package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/npu-tune/npu-tune/internal/nearest"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/models/file"
	"github.com/npu-tune/npu-tune/models/onnx"
	"github.com/npu-tune/npu-tune/models/scalesim"
	"github.com/npu-tune/npu-tune/models/timeloop"
	"github.com/npu-tune/npu-tune/models/zoo"
	"github.com/npu-tune/npu-tune/results"
)

// modelSource is the file that a model was read from.
type modelSource struct {
	path   string
	format string
	report string // what the import found and left out, lines of text
	sizes
}

// sizes are what a command sizes a model with.
type sizes struct {
	size zoo.Options
	dims *dimensions
}

func modelExtensions() []string { return []string{".onnx", ".yaml", ".yml", ".json", ".csv"} }

// isModelFile reports whether a model is a file rather than a network's name:
// it looks like a path, or is the name of a file and of no network.
func isModelFile(name string) bool {
	if name == "" || slices.Contains(zoo.Names(), name) {
		return false
	}
	if strings.ContainsRune(name, os.PathSeparator) || slices.Contains(modelExtensions(), strings.ToLower(filepath.Ext(name))) {
		return true
	}
	_, err := os.Stat(name)
	return err == nil
}

// importModel reads a model from a file of whatever format it has.
func importModel(path string, s sizes) (models.Model, *modelSource, error) {
	src := &modelSource{path: path, sizes: s}
	if err := checkFile(path, modelExtensions()); err != nil {
		return models.Model{}, nil, err
	}
	var (
		m   models.Model
		err error
	)
	switch strings.ToLower(filepath.Ext(path)) {
	case ".onnx":
		m, err = src.onnx()
	case ".csv":
		m, err = src.scaleSim()
	case ".yaml", ".yml", ".json":
		m, err = src.text()
	default:
		ext := filepath.Ext(path)
		err = fmt.Errorf("%s: unknown type of model file %q, want %s%s", path, ext, list(modelExtensions()), nearest.Hint(ext, modelExtensions()))
	}
	if err != nil {
		return models.Model{}, nil, usage(err)
	}
	return m, src, nil
}

// checkFile reports a file that is not there, with the nearest name of the same
// folder, or that is none.
func checkFile(path string, extensions []string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return usagef("%s: no such file%s", path, nearestFile(path, extensions))
	case err != nil:
		return usage(err)
	case info.IsDir():
		return usagef("%s: it is a directory, want a file%s", path, nearestFile(filepath.Join(path, filepath.Base(path)), extensions))
	}
	return nil
}

// nearestFile offers a file of the folder with one of the extensions: the one
// that has nearly the name, or the only one.
func nearestFile(path string, extensions []string) string {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() && slices.Contains(extensions, strings.ToLower(filepath.Ext(e.Name()))) {
			names = append(names, e.Name())
		}
	}
	best, ok := nearest.Name(filepath.Base(path), names)
	if !ok && len(names) == 1 {
		best, ok = names[0], true
	}
	if !ok {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", filepath.Join(filepath.Dir(path), best))
}

func (s *modelSource) onnx() (models.Model, error) {
	s.format = "ONNX"
	if err := s.refuse(false, false); err != nil {
		return models.Model{}, err
	}
	im, err := onnx.Load(s.path, onnx.Options{Dims: s.dims.get(), Batch: s.size.Batch})
	var shapes *onnx.ShapesError
	if errors.As(err, &shapes) && len(shapes.Dims) > 0 {
		err = fmt.Errorf("want --dim %s=N: %w", strings.Join(shapes.Dims, "=N --dim "), err)
	}
	if err != nil {
		return models.Model{}, err
	}
	s.report = im.Report.String()
	m := im.Model
	for _, l := range im.Report.LeftOut {
		m.Notes = append(m.Notes, fmt.Sprintf("Left out: %q (%s): %s.", l.Node, l.Op, l.Why))
	}
	return m, nil
}

func (s *modelSource) scaleSim() (models.Model, error) {
	s.format = "SCALE-Sim"
	if err := s.refuse(false, true); err != nil {
		return models.Model{}, err
	}
	m, err := scalesim.Load(s.path, scalesim.Options{Batch: s.size.Batch})
	s.describe(m)
	return m, err
}

// maxText bounds a model that is text.
const maxText = 4 << 20

// text reads YAML or JSON: Timeloop's, or a model of ours.
func (s *modelSource) text() (models.Model, error) {
	data, err := readBounded(s.path, maxText)
	if err != nil {
		return models.Model{}, err
	}
	if results.IsDocument(data) {
		return models.Model{}, fmt.Errorf("%s: it is a result of npu-tune, want a model", s.path)
	}
	var m models.Model
	if timeloop.Is(data) {
		s.format = "Timeloop"
		if err := s.refuse(true, false); err != nil {
			return m, err
		}
		m, err = timeloop.Parse(data, s.path, timeloop.Options{Dims: s.dims.get()})
		if errors.Is(err, timeloop.ErrArchitecture) {
			err = fmt.Errorf("%s: it is an architecture, want a model (an architecture goes to --npu)", s.path)
		}
	} else {
		s.format = "npu-tune"
		if err := s.refuse(true, true); err != nil {
			return m, err
		}
		m, err = file.Parse(data, s.path)
	}
	s.describe(m)
	return m, err
}

// readBounded reads a file of at most so many bytes; of a larger one it returns
// a byte more, which parsers refuse.
func readBounded(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most+1))
}

// refuse reports sizes that a format does not take: images and sequences never,
// a batch or dimensions where it says so.
func (s *modelSource) refuse(batch, dims bool) error {
	var errs []error
	bad := func(flag string) {
		want := "want it without"
		if s.format == "Timeloop" {
			want = "want --dim NAME=N"
		} else if s.format == "ONNX" {
			want = "want --batch N or --dim NAME=N"
		}
		errs = append(errs, fmt.Errorf("--%s: %s is a file (%s) that does not take it, %s", flag, s.path, s.format, want))
	}
	if s.size.Image != 0 {
		bad("image")
	}
	if s.size.Seq != 0 {
		bad("seq")
	}
	if batch && s.size.Batch != 0 {
		bad("batch")
	}
	if dims && s.dims != nil {
		bad("dim")
	}
	return errors.Join(errs...)
}

// describe makes the report of a model whose notes say everything.
func (s *modelSource) describe(m models.Model) {
	var b strings.Builder
	layers := "layers"
	if len(m.Layers) == 1 {
		layers = "layer"
	}
	fmt.Fprintf(&b, "%d %s from %s (%s)\n", len(m.Layers), layers, s.path, s.format)
	for _, n := range m.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	s.report = b.String()
}

// results says in an exported result where the model is from. The digest is of
// the model as 'models convert' writes it: importing the file again must give
// the same.
func (s *modelSource) results(m models.Model) results.Model {
	digest := sha256.Sum256(file.YAML(m))
	return results.Model{
		Name: m.Name, Batch: s.size.Batch, Notes: m.Notes,
		Source: &results.Source{File: s.path, Format: s.format, Dims: s.dims.get(), SHA256: hex.EncodeToString(digest[:])},
	}
}

// printReport says what an import found, each line marked as the program's.
func (s *modelSource) printReport(w io.Writer) error {
	if s == nil {
		return nil
	}
	var b bytes.Buffer
	for line := range strings.Lines(s.report) {
		b.WriteString("npu-tune: " + line)
	}
	_, err := w.Write(b.Bytes())
	return err
}
