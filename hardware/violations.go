package hardware

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
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

// violation is one thing that is wrong with a field.
type violation struct {
	field string // path, such as array.rows
	meant string // for an unknown field, the one that was probably meant
	err   error
}

// violations collects everything that is wrong with an NPU.
type violations []violation

// add reports what is wrong with a field: "FIELD " and the formatted rest.
func (v *violations) add(field, format string, args ...any) {
	shown := field
	if strings.ContainsFunc(field, func(r rune) bool { return !unicode.IsPrint(r) }) {
		shown = strconv.Quote(field)
	}
	err := fmt.Errorf("%w: %s "+format, append([]any{ErrInvalid, shown}, args...)...)
	*v = append(*v, violation{field: field, err: err})
}

// covers reports whether the field, what it is part of or what is part of it
// was reported already: what follows from that is no news.
func (v violations) covers(field string) bool {
	return slices.ContainsFunc(v, func(x violation) bool {
		return isPart(x.field, field) || isPart(field, x.field) || x.meant == field
	})
}

// isPart reports whether a field is the whole or within it.
func isPart(field, whole string) bool {
	rest, ok := strings.CutPrefix(field, whole)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// whole reports an integer outside low..high.
func (v *violations) whole(field string, x, low, high int64) {
	if x < low || x > high {
		v.add(field, "is %d, want %d to %d", x, low, high)
	}
}

// number reports a number outside low..high, or none.
func (v *violations) number(field string, x, low, high float64) {
	if math.IsNaN(x) || x < low || x > high {
		v.add(field, "is %g, want %g to %g", x, low, high)
	}
}

// widths reports element widths in bytes. A partial sum narrower than the
// complete output would lose what the output is to hold.
func (v *violations) widths(in, out, acc int64) {
	before := len(*v)
	v.whole("bytes_in", in, 1, MaxWidth)
	v.whole("bytes_out", out, 1, MaxWidth)
	v.whole("bytes_acc", acc, 1, MaxWidth)
	if len(*v) == before && acc < out {
		v.add("bytes_acc", "is %d, want at least bytes_out = %d", acc, out)
	}
}

func (v *violations) energy(e Energy) {
	v.number("energy.mac_pj", e.MACPJ, 0, maxEnergyPJ)
	v.number("energy.spm_pj_per_byte", e.SPMPJPerByte, 0, maxEnergyPJ)
	v.number("energy.dram_pj_per_byte", e.DRAMPJPerByte, 0, maxEnergyPJ)
	v.number("energy.static_pj_per_cycle", e.StaticPJPerCycle, 0, maxEnergyPJ)
}

// err joins the violations in the order in which they were found; nil if there
// are none.
func (v violations) err() error {
	var errs []error
	for _, x := range v {
		errs = append(errs, x.err)
	}
	return errors.Join(errs...)
}
