package hardware

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// String returns the NPU in one line: array, cores, clock, SPM and bandwidth.
func (n *NPU) String() string {
	cores := ""
	if n.Cores > 1 {
		cores = fmt.Sprintf("%d cores of ", n.Cores)
	}
	return fmt.Sprintf("%s: %s%d×%d, %g MHz, %s SPM, %g GB/s", n.Name, cores, n.Array.Rows, n.Array.Cols, n.ClockMHz,
		n.spmText(), n.TotalGBPerS())
}

// spmText returns the capacities of one core's SPMs.
func (n *NPU) spmText() string {
	var sizes []string
	for _, s := range n.SPMs {
		sizes = append(sizes, formatBytes(s.Bytes))
	}
	return strings.Join(sizes, " + ")
}

// Summary returns a table of every figure with its unit, a line each.
func (n *NPU) Summary() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%s\t"+format+"\n", append([]any{label}, args...)...)
	}
	row("name", "%s", n.Name)
	if n.Description != "" {
		row("description", "%s", n.Description)
	}
	row("array", "%d rows × %d columns per core, %s", n.Array.Rows, n.Array.Cols, either(n.Array.Pipelined, "pipelined", "not pipelined"))
	row("dataflows", "%s", joined(n.Dataflows))
	row("clock", "%g MHz", n.ClockMHz)
	row("cores", "%s", n.coresText())
	row("peak", "%.4g TMAC/s", n.PeakTMACs())
	for _, s := range n.SPMs {
		row("SPM", "%s per core for %s", formatBytes(s.Bytes), joined(s.Holds))
	}
	row("SPM sharing", "%s", either(n.SPMShared, "one SPM of all cores", "private to each core"))
	row("reads", "%s", either(n.Multicast || n.SPMShared, "one DRAM read serves all cores", "each core reads for itself"))
	row("DRAM", "%g GB/s, %.4g bytes per cycle%s", n.TotalGBPerS(), n.BytesPerCycle(), n.perCoreText())
	row("DMA latency", "%d cycles per stage", n.DMALatency)
	row("elements", "inputs %d, outputs %d, partial sums %d bytes", n.BytesIn, n.BytesOut, n.BytesAcc)
	row("energy", "%g pJ per MAC, %g pJ per SPM byte, %g pJ per DRAM byte, %g pJ per cycle",
		n.Energy.MACPJ, n.Energy.SPMPJPerByte, n.Energy.DRAMPJPerByte, n.Energy.StaticPJPerCycle)
	row("im2col", "%s", either(n.ExplicitIm2col, explicitIm2col, implicitIm2col))
	w.Flush() // a strings.Builder takes everything
	return b.String()
}

func (n *NPU) coresText() string {
	if n.MaxCores > n.Cores {
		return fmt.Sprintf("%d (up to %d)", n.Cores, n.MaxCores)
	}
	return fmt.Sprint(n.Cores)
}

func (n *NPU) perCoreText() string {
	if n.DRAMGBPerSPerCore != 0 {
		return fmt.Sprintf(" (%g GB/s per core)", n.DRAMGBPerSPerCore)
	}
	return ""
}

func either(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}

// joined lists values by their String.
func joined[T fmt.Stringer](values []T) string {
	var names []string
	for _, v := range values {
		names = append(names, v.String())
	}
	return strings.Join(names, ", ")
}
