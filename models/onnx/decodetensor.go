package onnx

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/npu-tune/npu-tune/models"
)

const (
	maxRank = 16
	// maxFolded is the most elements of a constant that shape arithmetic
	// computes with; larger ones are only shapes.
	maxFolded = 4096
	// maxFloats is the same for floating-point constants, of which only
	// scalars and scales matter.
	maxFloats = 8
)

// tensor decodes a tensor's name and shape, and its elements if they are few
// integers, or very few floating-point numbers.
func (d *decoder) tensor(f field) (*tensor, error) {
	if d.tensors++; d.tensors > maxTensors {
		return nil, wireErrorf(f.offset, "more than %d tensors", maxTensors)
	}
	if err := d.keep(f.offset, 100); err != nil {
		return nil, err
	}
	t := &tensor{}
	var payload []field
	external := false
	err := d.message("a tensor", f, func(f field) (err error) {
		switch f.number {
		case 1:
			t.dims, err = d.integers(t.dims, f)
		case 2:
			var v int64
			v, err = f.integer()
			t.dtype = dtype(v)
		case 4, 5, 7, 9, 10, 11:
			// The shape may come later, so elements are decoded at the end.
			if len(payload) <= maxFolded {
				payload = append(payload, f)
			}
		case 8:
			t.name, err = d.text(f)
		case 14:
			var v int64
			v, err = f.integer()
			external = v == 1
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := t.check(f.offset); err != nil {
		return nil, err
	}
	if external || !t.small() {
		return t, nil
	}
	return t, d.elements(t, payload, f.offset)
}

// sparse decodes a sparse tensor as a tensor of its full shape.
func (d *decoder) sparse(f field) (*tensor, error) {
	t := &tensor{}
	err := d.message("a sparse tensor", f, func(f field) (err error) {
		switch f.number {
		case 1:
			var values *tensor
			if values, err = d.tensor(f); err == nil {
				t.name, t.dtype = values.name, values.dtype
			}
		case 3:
			t.dims, err = d.integers(t.dims, f)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return t, t.check(f.offset)
}

// check reports a shape that no tensor has.
func (t *tensor) check(offset int64) error {
	if len(t.dims) > maxRank {
		return wireErrorf(offset, "tensor %q has %d dimensions, want %d at most", t.name, len(t.dims), maxRank)
	}
	for i, e := range t.dims {
		if e < 0 || e > models.MaxDim {
			return wireErrorf(offset, "dimension %d of tensor %q is %d, want 0 to %d", i, t.name, e, models.MaxDim)
		}
	}
	if t.count() > maxCount {
		return wireErrorf(offset, "tensor %q of shape %v has more than %d elements", t.name, t.dims, int64(maxCount))
	}
	return nil
}

// count returns the number of elements, at most a little beyond maxCount.
func (t *tensor) count() int64 {
	n := int64(1)
	for _, e := range t.dims {
		n = saturate(n, e)
	}
	return n
}

func (t *tensor) small() bool {
	n := t.count()
	return t.dtype.bytes() > 0 && (n <= maxFloats || n <= maxFolded && !t.dtype.floating())
}

// elements decodes the elements of a small tensor.
func (d *decoder) elements(t *tensor, payload []field, offset int64) error {
	want := t.count()
	if err := d.keep(offset, want*24); err != nil {
		return err
	}
	data := make([]number, 0, want)
	for _, f := range payload {
		var err error
		if f.number == 9 {
			data, err = d.raw(t, data, f, want)
		} else {
			data, err = d.typed(t, data, f, want)
		}
		if err != nil {
			return err
		}
	}
	if int64(len(data)) != want {
		return wireErrorf(offset, "tensor %q of shape %v has %d elements, want %d", t.name, t.dims, len(data), want)
	}
	t.data = data
	return nil
}

// raw decodes elements that lie in the file as in memory, little end first.
func (d *decoder) raw(t *tensor, data []number, f field, want int64) ([]number, error) {
	if err := f.want(protowire.BytesType, "raw data"); err != nil {
		return nil, err
	}
	size := t.dtype.bytes()
	if f.end-f.start != want*size {
		return nil, wireErrorf(f.offset, "tensor %q of shape %v has %d bytes, want %d", t.name, t.dims, f.end-f.start, want*size)
	}
	raw, err := d.peek(f.start, int(f.end-f.start))
	if err != nil {
		return nil, err
	}
	for i := range want {
		var word [8]byte
		copy(word[:], raw[i*size:(i+1)*size])
		data = append(data, t.dtype.element(binary.LittleEndian.Uint64(word[:])))
	}
	return data, nil
}

// typed decodes elements of the fields that hold one kind of number each.
func (d *decoder) typed(t *tensor, data []number, f field, want int64) ([]number, error) {
	kind := protowire.VarintType
	switch f.number {
	case 4:
		kind = protowire.Fixed32Type
	case 10:
		kind = protowire.Fixed64Type
	}
	err := d.repeated(f, kind, func(v uint64) error {
		if int64(len(data)) == want {
			return wireErrorf(f.offset, "tensor %q of shape %v has more than %d elements", t.name, t.dims, want)
		}
		data = append(data, t.dtype.element(v))
		return nil
	})
	return data, err
}

// element returns the number that the low bits of a word stand for.
func (t dtype) element(bits uint64) number {
	switch t {
	case float32Type:
		return float(float64(math.Float32frombits(uint32(bits))))
	case float64Type:
		return float(math.Float64frombits(bits))
	case int8Type:
		return whole(int64(int8(bits)))
	case int16Type:
		return whole(int64(int16(bits)))
	case int32Type:
		return whole(int64(int32(bits)))
	case uint8Type, boolType:
		return whole(int64(uint8(bits)))
	case uint16Type:
		return whole(int64(uint16(bits)))
	case uint32Type:
		return whole(int64(uint32(bits)))
	}
	return whole(int64(bits))
}
