package space

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
)

var dimNames = []string{"m", "n", "k"}

// MarshalJSON writes the schedule as in section 8 of the cost model: pass,
// shared and burst of a backward pass, then each operation. Cores are left
// out where the operation has one.
func (s Schedule) MarshalJSON() ([]byte, error) {
	if s.Pass >= NumPasses {
		return nil, fmt.Errorf("%w: pass is %d, want less than %d", ErrSyntax, s.Pass, NumPasses)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"pass":%q`, s.Pass)
	if s.Pass == Backward {
		if s.Shared > uint8(NumDims) {
			return nil, fmt.Errorf("%w: shared is %d loops, want 0 to 3", ErrSyntax, s.Shared)
		}
		b.WriteString(`,"shared":`)
		writeDims(&b, s.Ops[DX].Order[:s.Shared])
		if s.Shared == 3 {
			fmt.Fprintf(&b, `,"burst":%d`, max(s.Burst, 1))
		}
	}
	for _, op := range s.Pass.Ops() {
		o := &s.Ops[op]
		if err := o.writable(op); err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, `,%q:`, op)
		o.write(&b, op)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// writable reports what has no name in JSON.
func (o *OpSchedule) writable(op Op) error {
	for _, d := range o.Order {
		if d >= NumDims {
			return fmt.Errorf("%w: %s.order has dimension %d, want m, n and k", ErrSyntax, op, d)
		}
	}
	if o.Dataflow >= hardware.NumDataflows {
		return fmt.Errorf("%w: %s.dataflow is %d, want os, ws or is", ErrSyntax, op, o.Dataflow)
	}
	return nil
}

func (o *OpSchedule) write(b *bytes.Buffer, op Op) {
	fmt.Fprintf(b, `{"tile":{"m":%d,"n":%d,"k":%d},"order":`, o.Tile[M], o.Tile[N], o.Tile[K])
	writeDims(b, o.Order[:])
	b.WriteString(`,"hold":{`)
	for i, d := range operandOrder(op) {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, `%q:%d`, op.Tensor(d), o.Hold[d])
	}
	fmt.Fprintf(b, `},"dataflow":%q`, o.Dataflow)
	if o.CoreCount() > 1 {
		fmt.Fprintf(b, `,"cores":{"m":%d,"n":%d,"k":%d}`, o.Parts(M), o.Parts(N), o.Parts(K))
	}
	b.WriteByte('}')
}

func writeDims(b *bytes.Buffer, dims []Dim) {
	b.WriteByte('[')
	for i, d := range dims {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, `%q`, d)
	}
	b.WriteByte(']')
}

// operandOrder lists the operands of op by the dimension that each lacks: the
// result's left factor, its right factor, the result.
func operandOrder(op Op) [NumDims]Dim {
	return [NumDims]Dim{op.Columns(), op.Rows(), op.Reduction()}
}

func operandNames(op Op) []string {
	names := make([]string, 0, NumDims)
	for _, d := range operandOrder(op) {
		names = append(names, op.Tensor(d).String())
	}
	return names
}

// UnmarshalJSON reads what MarshalJSON writes, strictly: an unknown, repeated
// or missing field, a tensor that the operation does not touch, an order that
// is no permutation, or shared loops that the orders do not begin with is an
// error that names the field. Whether the schedule fits a problem is for
// Problem.Legal to say.
func (s *Schedule) UnmarshalJSON(b []byte) error {
	r, err := newReader("", b, []string{"pass", "shared", "burst", "fwd", "dx", "dw"})
	if err != nil {
		return err
	}
	pass, err := r.text("pass", passNames[:])
	if err != nil {
		return err
	}
	v := Schedule{Pass: Pass(pass)}
	for op := range NumOps {
		if err := v.readOp(r, op); err != nil {
			return err
		}
	}
	if err := v.readShared(r); err != nil {
		return err
	}
	*s = v
	return nil
}

func (s *Schedule) readOp(r *reader, op Op) error {
	wanted := slices.Contains(s.Pass.Ops(), op)
	o, err := r.object(op.String(), []string{"tile", "order", "hold", "dataflow", "cores"})
	switch {
	case err != nil:
		return err
	case o == nil && wanted:
		return r.errorf(op.String(), "is missing, the %s pass has it", s.Pass)
	case o != nil && !wanted:
		return r.errorf(op.String(), "does not belong to the %s pass, which has %v", s.Pass, s.Pass.Ops())
	case o == nil:
		return nil
	}
	v := &s.Ops[op]
	if err := v.readTile(o); err != nil {
		return err
	}
	if err := v.readOrder(o); err != nil {
		return err
	}
	if err := v.readHold(o, op); err != nil {
		return err
	}
	d, err := o.text("dataflow", []string{"os", "ws", "is"})
	if err != nil {
		return err
	}
	v.Dataflow = hardware.Dataflow(d)
	return v.readCores(o)
}

func (o *OpSchedule) readTile(r *reader) error {
	t, err := r.object("tile", dimNames)
	if err != nil {
		return err
	}
	if t == nil {
		return r.errorf("tile", "is missing, want the extents of m, n and k")
	}
	for d := range NumDims {
		if o.Tile[d], err = t.integer(d.String(), 1, models.MaxDim); err != nil {
			return err
		}
	}
	return nil
}

func (o *OpSchedule) readOrder(r *reader) error {
	dims, err := r.dims("order")
	if err != nil {
		return err
	}
	if len(dims) != int(NumDims) {
		return r.errorf("order", "has %d loops, want m, n and k, outermost first", len(dims))
	}
	o.Order = Order(dims)
	return nil
}

func (o *OpSchedule) readHold(r *reader, op Op) error {
	h, err := r.object("hold", operandNames(op))
	if err != nil {
		return err
	}
	if h == nil {
		return r.errorf("hold", "is missing, want a level for each of %v", operandNames(op))
	}
	for d := range NumDims {
		level, err := h.integer(op.Tensor(d).String(), 0, int64(NumDims))
		if err != nil {
			return err
		}
		o.Hold[d] = uint8(level)
	}
	return nil
}

func (o *OpSchedule) readCores(r *reader) error {
	c, err := r.object("cores", dimNames)
	if err != nil || c == nil {
		return err
	}
	for d := range NumDims {
		if _, ok := c.fields[d.String()]; !ok {
			continue
		}
		parts, err := c.integer(d.String(), 1, math.MaxUint16)
		if err != nil {
			return err
		}
		if parts > 1 {
			o.Cores[d] = uint16(parts)
		}
	}
	return nil
}

// readShared reads how the gradients alternate, once the orders are known.
func (s *Schedule) readShared(r *reader) error {
	shared, err := r.dims("shared")
	if err != nil {
		return err
	}
	if s.Pass != Backward && len(shared) > 0 {
		return r.errorf("shared", "is %v, want none: only a backward pass interleaves", shared)
	}
	for _, op := range s.Pass.Ops() {
		if order := s.Ops[op].Order; !slices.Equal(shared, order[:len(shared)]) {
			return r.errorf("shared", "is %v, but %s.order begins with %v", shared, op, order[:len(shared)])
		}
	}
	s.Shared = uint8(len(shared))
	if s.Shared == 3 {
		s.Burst = 1
	}
	if _, ok := r.fields["burst"]; !ok {
		return nil
	}
	most := int64(1)
	if s.Shared == 3 {
		most = models.MaxDim
	}
	burst, err := r.integer("burst", 1, most)
	if err != nil {
		if most == 1 {
			return fmt.Errorf("%w: bursts need three shared loops", err)
		}
		return err
	}
	if s.Shared == 3 {
		s.Burst = burst
	}
	return nil
}

var (
	_ json.Marshaler   = Schedule{}
	_ json.Unmarshaler = (*Schedule)(nil)
)
