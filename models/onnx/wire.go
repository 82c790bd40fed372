package onnx

import (
	"errors"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

const (
	window = 64 << 10 // bytes read at once
	// maxKept bounds the bytes of names, attributes and constants that are kept.
	maxKept = 256 << 20
	maxText = 1 << 16 // bytes of one name
)

// wire reads a file in the protobuf encoding through a window, so that fields
// that are not wanted are skipped without being read.
type wire struct {
	source io.ReaderAt
	size   int64
	buf    []byte // the file from base on
	base   int64
	kept   int64
}

// peek returns at least n bytes from off on, fewer only where the file ends.
func (w *wire) peek(off int64, n int) ([]byte, error) {
	if off < w.base || off+int64(n) > w.base+int64(len(w.buf)) {
		want := min(int64(max(n, window)), w.size-off)
		if int64(cap(w.buf)) < want {
			w.buf = make([]byte, want)
		}
		w.buf = w.buf[:want]
		got, err := w.source.ReadAt(w.buf, off)
		w.buf, w.base = w.buf[:got], off
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, wireErrorf(off, "%v", err)
		}
		if int64(got) < want {
			return nil, wireErrorf(off+int64(got), "the file ends, want %d bytes more", want-int64(got))
		}
	}
	return w.buf[off-w.base:], nil
}

// keep counts bytes that stay in memory.
func (w *wire) keep(off, n int64) error {
	if w.kept += n; w.kept > maxKept {
		return wireErrorf(off, "the graph without its weights is beyond %d bytes", maxKept)
	}
	return nil
}

// field is a field of a message: a number (varint, fixed32, fixed64) or the
// extent of its bytes.
type field struct {
	number     protowire.Number
	kind       protowire.Type
	offset     int64 // of its tag
	value      uint64
	start, end int64
}

// each calls f for each field between start and end, which hold a message of
// that name.
func (w *wire) each(message string, start, end int64, f func(field) error) error {
	for off := start; off < end; {
		fl, next, err := w.field(message, off, end)
		if err != nil {
			return err
		}
		if err := f(fl); err != nil {
			return err
		}
		off = next
	}
	return nil
}

func (w *wire) field(message string, off, end int64) (field, int64, error) {
	data, err := w.peek(off, 20)
	if err != nil {
		return field{}, 0, err
	}
	data = data[:min(int64(len(data)), end-off)]
	f := field{offset: off}
	var n int
	if f.number, f.kind, n = protowire.ConsumeTag(data); n < 0 {
		return f, 0, w.bad(off, message, n)
	}
	data = data[n:]
	off += int64(n)
	switch f.kind {
	case protowire.VarintType:
		f.value, n = protowire.ConsumeVarint(data)
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(data)
		f.value = uint64(v)
	case protowire.Fixed64Type:
		f.value, n = protowire.ConsumeFixed64(data)
	case protowire.BytesType:
		f.value, n = protowire.ConsumeVarint(data)
	default:
		return f, 0, wireErrorf(f.offset, "field %d of %s has wire type %d; is this an ONNX file?", f.number, message, f.kind)
	}
	if n < 0 {
		return f, 0, w.bad(f.offset, message, n)
	}
	off += int64(n)
	if f.kind != protowire.BytesType {
		return f, off, nil
	}
	if f.value > uint64(end-off) {
		return f, 0, wireErrorf(f.offset, "field %d of %s has %d bytes, but %d are left: truncated, or not an ONNX file",
			f.number, message, f.value, end-off)
	}
	f.start, f.end = off, off+int64(f.value)
	return f, f.end, nil
}

func (w *wire) bad(off int64, message string, n int) error {
	err := protowire.ParseError(n)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return wireErrorf(off, "a field of %s is cut off: truncated, or not an ONNX file", message)
	}
	return wireErrorf(off, "%s is malformed (%v); is this an ONNX file?", message, err)
}

// text returns the field as a string.
func (w *wire) text(f field) (string, error) {
	if err := f.want(protowire.BytesType, "text"); err != nil {
		return "", err
	}
	n := f.end - f.start
	if n > maxText {
		return "", wireErrorf(f.offset, "a name of %d bytes, want %d at most", n, maxText)
	}
	if err := w.keep(f.offset, n+16); err != nil {
		return "", err
	}
	data, err := w.peek(f.start, int(n))
	if err != nil {
		return "", err
	}
	return string(data[:n]), nil
}

// integer returns the field as an integer.
func (f field) integer() (int64, error) {
	return int64(f.value), f.want(protowire.VarintType, "an integer")
}

// float returns the field as a 32-bit floating-point number.
func (f field) float() (float64, error) {
	return float64(math.Float32frombits(uint32(f.value))), f.want(protowire.Fixed32Type, "a float")
}

func (f field) want(kind protowire.Type, what string) error {
	if f.kind != kind {
		return wireErrorf(f.offset, "field %d has wire type %d, want %d (%s); is this an ONNX file?", f.number, f.kind, kind, what)
	}
	return nil
}

// repeated calls add for each number of a repeated field, packed or not.
func (w *wire) repeated(f field, element protowire.Type, add func(v uint64) error) error {
	if f.kind == element {
		return add(f.value)
	}
	if err := f.want(protowire.BytesType, "packed numbers"); err != nil {
		return err
	}
	for off := f.start; off < f.end; {
		data, err := w.peek(off, 10)
		if err != nil {
			return err
		}
		data = data[:min(int64(len(data)), f.end-off)]
		var v uint64
		var n int
		switch element {
		case protowire.Fixed32Type:
			var v32 uint32
			v32, n = protowire.ConsumeFixed32(data)
			v = uint64(v32)
		case protowire.Fixed64Type:
			v, n = protowire.ConsumeFixed64(data)
		default:
			v, n = protowire.ConsumeVarint(data)
		}
		if n < 0 {
			return w.bad(off, "packed numbers", n)
		}
		if err := add(v); err != nil {
			return err
		}
		off += int64(n)
	}
	return nil
}

// integers appends the numbers of a repeated integer field to dst.
func (w *wire) integers(dst []int64, f field) ([]int64, error) {
	err := w.repeated(f, protowire.VarintType, func(v uint64) error {
		dst = append(dst, int64(v))
		return w.keep(f.offset, 8)
	})
	return dst, err
}
