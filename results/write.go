package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

var errDirectory = errors.New("it is a directory, want a file")

// Encode returns the document as JSON: the same document, the same bytes.
func (d *Document) Encode() ([]byte, error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	var b bytes.Buffer
	if err := layout(&b, raw, 0); err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// Write writes the document to a file, whole or not at all; see WriteFile.
func (d *Document) Write(path string) error {
	data, err := d.Encode()
	if err != nil {
		return err
	}
	return WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteFile writes a file, whole or not at all: a temporary file in the same
// directory takes the place of the old one, with its permissions, once write
// has succeeded and everything is on the disk. A symbolic link stays, its target changes.
// A device or a pipe is written through.
func WriteFile(path string, write func(io.Writer) error) error {
	target, info, err := resolve(path)
	if err != nil {
		return err
	}
	if info != nil && !info.Mode().IsRegular() {
		return through(target, write)
	}
	mode := fs.FileMode(0o644)
	if info != nil {
		mode = info.Mode().Perm()
	}
	return replace(target, write, mode)
}

func through(device string, write func(io.Writer) error) error {
	f, err := os.OpenFile(device, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// CheckWritable reports why Write to a path would fail, without changing
// anything that is there.
func CheckWritable(path string) error {
	if err := tryWriting(path); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, cause(err))
	}
	return nil
}

// cause strips the name of a temporary file, which says nothing to people.
func cause(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

func tryWriting(path string) error {
	target, info, err := resolve(path)
	if err != nil {
		return err
	}
	if info != nil {
		f, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil || !info.Mode().IsRegular() {
			return err
		}
	}
	f, err := os.CreateTemp(filepath.Dir(target), pattern(target))
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// resolve follows symbolic links and stats what is there; info is nil where
// nothing is.
func resolve(path string) (target string, info fs.FileInfo, err error) {
	target, err = filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		target, err = path, nil
	}
	if err != nil {
		return "", nil, err
	}
	info, err = os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return target, nil, nil
	case err != nil:
		return "", nil, err
	case info.IsDir():
		return "", nil, errDirectory
	}
	return target, info, nil
}

func pattern(target string) string { return "." + filepath.Base(target) + ".*.tmp" }

// replace puts a file with what is written in the place of target.
func replace(target string, write func(io.Writer) error, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(target), pattern(target))
	if err != nil {
		return err
	}
	err = write(f)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), target)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
