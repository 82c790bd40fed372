package hardware

import (
	"errors"
	"fmt"
)

// Dataflow says which operand of a tile operation stays in the array.
type Dataflow uint8

// The three dataflows of the cost model (section 5).
const (
	OS Dataflow = iota // output stationary
	WS                 // weight (second operand) stationary
	IS                 // input (first operand) stationary
	NumDataflows
)

// ErrDataflow is wrapped by ParseDataflow's error.
var ErrDataflow = errors.New("unknown dataflow")

var dataflowNames = [NumDataflows]string{"os", "ws", "is"}

// String returns "os", "ws" or "is".
func (d Dataflow) String() string {
	if d < NumDataflows {
		return dataflowNames[d]
	}
	return fmt.Sprintf("dataflow(%d)", uint8(d))
}

// ParseDataflow is the inverse of String.
func ParseDataflow(s string) (Dataflow, error) {
	for i, n := range dataflowNames {
		if s == n {
			return Dataflow(i), nil
		}
	}
	return 0, fmt.Errorf("%w %q, want os, ws or is", ErrDataflow, s)
}

// MarshalText implements encoding.TextMarshaler.
func (d Dataflow) MarshalText() ([]byte, error) {
	if d >= NumDataflows {
		return nil, fmt.Errorf("%w %d", ErrDataflow, uint8(d))
	}
	return []byte(d.String()), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Dataflow) UnmarshalText(b []byte) error {
	v, err := ParseDataflow(string(b))
	if err == nil {
		*d = v
	}
	return err
}
