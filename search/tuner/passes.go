package tuner

import (
	"errors"
	"fmt"

	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// Passes says which passes of each layer are tuned.
type Passes uint8

// The choices. The backward pass of a layer that needs no input gradient is
// its weight gradient alone.
const (
	Training     Passes = iota // forward and backward
	ForwardOnly                // inference
	BackwardOnly               // the gradients
	numPasses
)

// ErrPasses is wrapped by ParsePasses's error.
var ErrPasses = errors.New("unknown pass")

var passesNames = [numPasses]string{"training", "forward", "backward"}

// PassesNames returns the names that ParsePasses knows.
func PassesNames() []string { return passesNames[:] }

// String returns "training", "forward" or "backward".
func (p Passes) String() string {
	if p < numPasses {
		return passesNames[p]
	}
	return fmt.Sprintf("passes(%d)", uint8(p))
}

// ParsePasses is the inverse of String.
func ParsePasses(s string) (Passes, error) {
	for i, n := range passesNames {
		if n == s {
			return Passes(i), nil
		}
	}
	return 0, fmt.Errorf("%w %q, want training, forward or backward", ErrPasses, s)
}

// Of returns the passes of one layer, in the order in which they run.
func (p Passes) Of(l models.Layer) []space.Pass {
	backward := space.Backward
	if l.NoInputGrad {
		backward = space.DWOnly
	}
	switch p {
	case ForwardOnly:
		return []space.Pass{space.Forward}
	case BackwardOnly:
		return []space.Pass{backward}
	}
	return []space.Pass{space.Forward, backward}
}
