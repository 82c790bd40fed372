package hardware

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxNameLength        = 64   // characters
	maxDescriptionLength = 1000 // characters

	minClockMHz, maxClockMHz = 1e-3, 1e6
	minGBPerS, maxGBPerS     = 1e-6, 1e9
)

// Validate reports every violation at once, each with the field's name in the
// YAML, what it is and what would be right, wrapping ErrInvalid. Ranges are
// those of the package's constants; partial sums are at least as wide as
// outputs; every role is in exactly one SPM; bandwidth is given once.
func (n *NPU) Validate() error {
	var v violations
	v.npu(n)
	return v.err()
}

func (v *violations) npu(n *NPU) {
	v.text("name", n.Name, 1, maxNameLength)
	v.text("description", n.Description, 0, maxDescriptionLength)
	v.whole("array.rows", n.Array.Rows, 1, MaxArray)
	v.whole("array.cols", n.Array.Cols, 1, MaxArray)
	v.dataflowSet(n.Dataflows)
	v.number("clock_mhz", n.ClockMHz, minClockMHz, maxClockMHz)
	v.whole("cores", n.Cores, 1, MaxCores)
	if n.MaxCores != 0 {
		v.whole("max_cores", n.MaxCores, min(max(n.Cores, 1), MaxCores), MaxCores)
	}
	switch {
	case len(n.SPMs) == 0:
		v.add("spm_bytes", "is missing, want the bytes per core (or spm: separate ones)")
	case n.unified():
		v.whole("spm_bytes", n.SPMs[0].Bytes, 1, MaxSPMBytes)
	default:
		v.spms(n.SPMs, 1)
	}
	v.bandwidth(n)
	v.whole("dma_latency_cycles", n.DMALatency, 0, MaxDMALatency)
	v.widths(n.BytesIn, n.BytesOut, n.BytesAcc)
	v.energy(n.Energy)
}

// text reports a text of too few or too many characters, or with some that do
// not print.
func (v *violations) text(field, s string, least, most int) {
	if length := utf8.RuneCountInString(s); length < least || length > most {
		v.add(field, "has %d characters, want %d to %d", length, least, most)
	}
	if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		v.add(field, "is %+.100q, want printable characters in one line", s)
	}
}

// dataflowSet reports a set of dataflows that is empty, or names one twice or
// an unknown one.
func (v *violations) dataflowSet(dataflows []Dataflow) {
	names := []string{}
	for _, d := range dataflows {
		names = append(names, d.String())
	}
	v.dataflows(names)
}

// bandwidth reports a bandwidth that is not given exactly once, is out of
// range, or comes to too few or too many bytes in a cycle.
func (v *violations) bandwidth(n *NPU) {
	const whole, perCore = "dram_gb_per_s", "dram_gb_per_s_per_core"
	before := len(*v)
	switch {
	case n.DRAMGBPerS != 0 && n.DRAMGBPerSPerCore != 0:
		v.add(whole, "is %g and %s is %g, want one of them", n.DRAMGBPerS, perCore, n.DRAMGBPerSPerCore)
	case n.DRAMGBPerSPerCore != 0:
		v.number(perCore, n.DRAMGBPerSPerCore, minGBPerS, maxGBPerS)
	case n.DRAMGBPerS != 0:
		v.number(whole, n.DRAMGBPerS, minGBPerS, maxGBPerS)
	default:
		v.add(whole, "is missing or 0, want %g to %g (or %s)", minGBPerS, maxGBPerS, perCore)
	}
	bytesPerCycle := n.BytesPerCycle()
	figuresAreRight := len(*v) == before && n.ClockMHz >= minClockMHz && n.ClockMHz <= maxClockMHz && n.Cores >= 1 && n.Cores <= MaxCores
	if figuresAreRight && (bytesPerCycle < minBytesPerCycle || bytesPerCycle > maxBytesPerCycle) {
		v.add("clock_mhz", "is %g with %g GB/s in all, which is %g bytes per cycle, want %g to %g",
			n.ClockMHz, n.TotalGBPerS(), bytesPerCycle, minBytesPerCycle, maxBytesPerCycle)
	}
}

// unified reports whether the NPU has one SPM for everything.
func (n *NPU) unified() bool {
	return len(n.SPMs) == 1 && len(n.SPMs[0].Holds) == int(NumRoles) && !slices.ContainsFunc([]Role{Inputs, Weights, Accumulators}, func(r Role) bool {
		return !slices.Contains(n.SPMs[0].Holds, r)
	})
}
