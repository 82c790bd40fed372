package hardware

// Validate reports every figure out of its range at once, each wrapping
// ErrInvalid: arrays of 1..MaxArray rows and columns, up to MaxCores cores (0
// means as many as a schedule says), element widths of 1..MaxWidth bytes with
// partial sums at least as wide as outputs, finite bandwidth above zero,
// energies of zero or more, and separate SPMs that hold every role once.
func (p *Params) Validate() error {
	var v violations
	v.params(p)
	v.whole("cores", p.Cores, 0, MaxCores)
	if p.NPools < 0 || p.NPools > int(NumRoles) {
		v.add("spm", "has %d SPMs, want 1 to %d", p.NPools, NumRoles)
	} else if p.NPools > 0 {
		v.spms(p.spms(), 0)
	}
	return v.err()
}

// params reports the plain figures of p.
func (v *violations) params(p *Params) {
	v.whole("rows", p.Rows, 1, MaxArray)
	v.whole("cols", p.Cols, 1, MaxArray)
	v.number("bytes_per_cycle", p.BytesPerCycle, minBytesPerCycle, maxBytesPerCycle)
	v.whole("dma_latency", p.DMALatency, 0, MaxDMALatency)
	v.widths(p.BytesIn, p.BytesOut, p.BytesAcc)
	v.energy(p.Energy)
}
