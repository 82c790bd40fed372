package onnx

import (
	"errors"
	"fmt"
)

// ErrONNX is wrapped by every error of a file that cannot be imported: not
// ONNX, truncated, inconsistent, or with shapes that are not known.
var ErrONNX = errors.New("cannot import ONNX")

// ErrOption is wrapped by every error of Options that do not fit the file.
var ErrOption = errors.New("invalid ONNX option")

// ShapesError says which nodes have shapes that are not known. It comes wrapped
// besides ErrONNX.
type ShapesError struct {
	Dims []string // those that Options.Dims should set, sorted; none if that does not help
	text string
}

func (e *ShapesError) Error() string { return e.text }

// wireError is what is wrong at a byte of the file.
type wireError struct {
	offset int64
	text   string
}

func (e *wireError) Error() string { return fmt.Sprintf("byte %d: %s", e.offset, e.text) }

func wireErrorf(offset int64, format string, args ...any) error {
	return &wireError{offset, fmt.Sprintf(format, args...)}
}
