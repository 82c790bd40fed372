package onnx

import "github.com/npu-tune/npu-tune/models"

const maxSymbol = 1024 // bytes of a dimension's name

// declared decodes a value's name and type.
func (d *decoder) declared(dst []declared, f field) ([]declared, error) {
	if d.tensors++; d.tensors > maxTensors {
		return dst, wireErrorf(f.offset, "more than %d tensors", maxTensors)
	}
	if err := d.keep(f.offset, 100); err != nil {
		return dst, err
	}
	var v declared
	err := d.message("a value", f, func(f field) (err error) {
		switch f.number {
		case 1:
			v.name, err = d.text(f)
		case 2:
			err = d.message("a type", f, func(f field) error {
				if f.number == 1 || f.number == 8 { // dense and sparse tensors
					v.tensor = true
					return d.tensorType(&v, f)
				}
				return nil
			})
		}
		return err
	})
	return append(dst, v), err
}

func (d *decoder) tensorType(v *declared, f field) error {
	return d.message("a tensor type", f, func(f field) (err error) {
		switch f.number {
		case 1:
			var t int64
			t, err = f.integer()
			v.dtype = dtype(t)
		case 2:
			v.ranked = true
			err = d.message("a shape", f, func(f field) error {
				if f.number != 1 {
					return nil
				}
				return d.dimension(v, f)
			})
		}
		return err
	})
}

func (d *decoder) dimension(v *declared, f field) error {
	if len(v.dims) == maxRank {
		return wireErrorf(f.offset, "value %q has more than %d dimensions", v.name, maxRank)
	}
	if err := d.keep(f.offset, 40); err != nil {
		return err
	}
	var e dimension
	err := d.message("a dimension", f, func(f field) (err error) {
		switch f.number {
		case 1:
			e.extent, err = f.integer()
			e.stated = true
		case 2:
			e.name, err = d.text(f)
		}
		return err
	})
	if err == nil && (e.extent < -1 || e.extent > models.MaxDim) {
		err = wireErrorf(f.offset, "dimension %d of value %q is %d, want 0 to %d", len(v.dims), v.name, e.extent, models.MaxDim)
	}
	if err == nil && len(e.name) > maxSymbol {
		err = wireErrorf(f.offset, "the name of dimension %d of value %q has %d bytes, want %d at most", len(v.dims), v.name, len(e.name), maxSymbol)
	}
	if e.extent == -1 || e.name != "" {
		e.stated, e.extent = false, 0
	}
	v.dims = append(v.dims, e)
	return err
}
