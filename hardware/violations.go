package hardware

import (
	"errors"
	"fmt"
	"math"
)

// ErrInvalid is wrapped by every violation that a validation reports.
var ErrInvalid = errors.New("invalid NPU")

// Ranges of what an NPU may have. They admit every real device and keep
// products of a few figures within 64 bits.
const (
	MaxArray      = int64(1) << 16 // rows or columns of an array
	MaxCores      = int64(1) << 10
	MaxSPMBytes   = int64(1) << 46 // of one SPM of one core
	MaxWidth      = int64(16)      // bytes of an element
	MaxDMALatency = int64(1) << 31 // cycles

	minBytesPerCycle, maxBytesPerCycle = 1e-6, 1e9
	maxEnergyPJ                        = 1e9
)

// violations collects everything that is wrong with an NPU.
type violations struct{ errs []error }

func (v *violations) add(format string, args ...any) {
	v.errs = append(v.errs, fmt.Errorf("%w: "+format, append([]any{ErrInvalid}, args...)...))
}

// whole reports an integer outside low..high.
func (v *violations) whole(field string, x, low, high int64) {
	if x < low || x > high {
		v.add("%s is %d, want %d to %d", field, x, low, high)
	}
}

// number reports a number outside low..high, or none.
func (v *violations) number(field string, x, low, high float64) {
	if math.IsNaN(x) || x < low || x > high {
		v.add("%s is %g, want %g to %g", field, x, low, high)
	}
}

// widths reports element widths in bytes. A partial sum narrower than the
// complete output would lose what the output is to hold.
func (v *violations) widths(in, out, acc int64) {
	n := len(v.errs)
	v.whole("bytes_in", in, 1, MaxWidth)
	v.whole("bytes_out", out, 1, MaxWidth)
	v.whole("bytes_acc", acc, 1, MaxWidth)
	if len(v.errs) == n && acc < out {
		v.add("bytes_acc is %d, want at least bytes_out = %d", acc, out)
	}
}

func (v *violations) energy(e Energy) {
	v.number("energy.mac_pj", e.MACPJ, 0, maxEnergyPJ)
	v.number("energy.spm_pj_per_byte", e.SPMPJPerByte, 0, maxEnergyPJ)
	v.number("energy.dram_pj_per_byte", e.DRAMPJPerByte, 0, maxEnergyPJ)
	v.number("energy.static_pj_per_cycle", e.StaticPJPerCycle, 0, maxEnergyPJ)
}

func (v *violations) err() error { return errors.Join(v.errs...) }
