package simulator

import (
	"errors"
	"fmt"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/space"
)

// legal reports every reason for which s is no schedule of p, each wrapped in
// evaluator.ErrIllegal (cost model sections 2, 3 and 6).
func legal(p *space.Problem, s *space.Schedule) error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%w: "+format, append([]any{evaluator.ErrIllegal}, args...)...))
	}
	if s.Pass != p.Pass {
		bad("pass %v, the problem's is %v", s.Pass, p.Pass)
	}
	if s.Pass >= space.NumPasses {
		bad("unknown pass %v", s.Pass)
		return errors.Join(errs...)
	}
	for _, op := range s.Pass.Ops() {
		legalOp(p, &s.Ops[op], op, bad)
	}
	if s.Burst < 0 {
		bad("burst %d, want at least 1", s.Burst)
	}
	if s.Pass != space.Backward && s.Shared > 0 {
		bad("%d shared loops in pass %v, only a backward pass shares", s.Shared, s.Pass)
	}
	if s.Burst > 1 && s.Shared != 3 {
		bad("burst %d with %d shared loops, bursts need 3", s.Burst, s.Shared)
	}
	if s.Pass == space.Backward && len(errs) == 0 {
		legalPair(p, s, bad)
	}
	return errors.Join(errs...)
}

func legalOp(p *space.Problem, o *space.OpSchedule, op space.Op, bad func(string, ...any)) {
	for d := range space.NumDims {
		if o.Tile[d] < 1 {
			bad("%v tile %v is %d, want at least 1", op, d, o.Tile[d])
		}
	}
	if o.Order.Position(space.M) == 0 || o.Order.Position(space.N) == 0 || o.Order.Position(space.K) == 0 {
		bad("%v order %v is no permutation of m, n, k", op, o.Order)
		return
	}
	for lacks, h := range o.Hold {
		t := op.Tensor(space.Dim(lacks))
		if h > 3 || h > 0 && o.Order[h-1] == space.Dim(lacks) {
			bad("%v hold level of %v is %d, want 0 or a loop that the tensor has", op, t, h)
		}
	}
	if o.Dataflow >= hardware.NumDataflows || !p.HW.HasDataflow(o.Dataflow) {
		bad("%v dataflow %v is not one of the array's", op, o.Dataflow)
	}
	if n := o.CoreCount(); p.HW.Cores > 0 && n > p.HW.Cores {
		bad("%v uses %d cores of %d", op, n, p.HW.Cores)
	}
}

// legalPair checks what two gradients that share loops must agree on.
func legalPair(p *space.Problem, s *space.Schedule, bad func(string, ...any)) {
	if s.Shared > 3 {
		bad("%d shared loops, want 0 to 3", s.Shared)
		return
	}
	if s.Shared == 0 {
		return
	}
	dx, dw := &s.Ops[space.DX], &s.Ops[space.DW]
	for d := range space.NumDims {
		if dx.Parts(d) != dw.Parts(d) {
			bad("dx splits %v %d ways and dw %d ways, gradients that share loops split alike", d, dx.Parts(d), dw.Parts(d))
		}
	}
	a, b := newTiling(p, dx), newTiling(p, dw)
	for i := range int(s.Shared) {
		x, y := dx.Order[i], dw.Order[i]
		switch {
		case x != y:
			bad("shared loop %d is %v in dx and %v in dw", i+1, x, y)
		case a.tile[x] != b.tile[x]:
			bad("shared loop %v has tile %d in dx and %d in dw", x, a.tile[x], b.tile[x])
		}
	}
}
