package hardware

import (
	"errors"
	"fmt"
)

// ErrRole is wrapped by ParseRole's error.
var ErrRole = errors.New("unknown role")

var roleNames = [NumRoles]string{"inputs", "weights", "accumulators"}

// String returns "inputs", "weights" or "accumulators".
func (r Role) String() string {
	if r < NumRoles {
		return roleNames[r]
	}
	return fmt.Sprintf("role(%d)", uint8(r))
}

// ParseRole is the inverse of String.
func ParseRole(s string) (Role, error) {
	for i, n := range roleNames {
		if s == n {
			return Role(i), nil
		}
	}
	return 0, fmt.Errorf("%w %q, want inputs, weights or accumulators", ErrRole, s)
}

// MarshalText implements encoding.TextMarshaler.
func (r Role) MarshalText() ([]byte, error) {
	if r >= NumRoles {
		return nil, fmt.Errorf("%w %d", ErrRole, uint8(r))
	}
	return []byte(r.String()), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *Role) UnmarshalText(b []byte) error {
	v, err := ParseRole(string(b))
	if err == nil {
		*r = v
	}
	return err
}
