package analytic

import (
	"github.com/npu-tune/npu-tune/hardware"
)

// boundArray bounds array cycles and SPM accesses over the allowed dataflows.
func (m *Model) boundArray(o *opBound, flows uint8) {
	hw := &m.problem.HW
	a, b, r := &o.d[o.kind.Rows()], &o.d[o.kind.Columns()], &o.d[o.kind.Reduction()]
	ops := o.n[0] * o.n[1] * o.n[2]
	leastAccess := int64(-1)
	o.cycles, o.fill = -1, 2*hw.Rows+hw.Cols
	for flow := range hardware.NumDataflows {
		if flows>>flow&1 == 0 {
			continue
		}
		dr, dc, dt, fill := arrayDims(hw, o.kind, flow)
		sr, sc, t := &o.d[dr], &o.d[dc], &o.d[dt]
		var inputs, partials int64
		switch flow {
		case hardware.OS:
			inputs = a.extent*r.extent*sc.sumC + r.extent*b.extent*sr.sumR
			partials = r.n
		case hardware.WS:
			inputs = r.extent*b.extent*a.n + a.extent*r.extent*sc.sumC
			partials = sr.sumR
		default:
			inputs = a.extent*r.extent*b.n + r.extent*b.extent*sc.sumC
			partials = sr.sumR
		}
		o.fill = min(o.fill, fill)
		var cycles int64
		if hw.Pipelined {
			cycles = sr.sumR*sc.sumC*t.sumT + fill*ops
		} else {
			cycles = sr.sumR * sc.sumC * (t.sumT + t.n*fill)
		}
		if o.cycles < 0 || cycles < o.cycles {
			o.cycles, o.flow = cycles, flow
		}
		access := inputs*hw.BytesIn + a.extent*b.extent*(2*partials-1)*hw.BytesAcc
		if leastAccess < 0 || access < leastAccess {
			leastAccess = access
		}
	}
	o.access += leastAccess * o.cores
}
