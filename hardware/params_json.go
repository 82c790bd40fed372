package hardware

import (
	"encoding/json"
	"reflect"
)

// paramsJSON is Params in the JSON of a case (cost model section 8), with
// optional additions: what the SPM holds, which dataflows the array can run,
// how many cores there are and how convolutions are lowered.
type paramsJSON struct {
	Rows          int64     `json:"rows"`
	Cols          int64     `json:"cols"`
	Pipelined     *bool     `json:"pipelined"`
	BytesPerCycle float64   `json:"bytes_per_cycle"`
	DMALatency    int64     `json:"dma_latency,omitempty"`
	BytesIn       int64     `json:"bytes_in"`
	BytesOut      int64     `json:"bytes_out"`
	BytesAcc      int64     `json:"bytes_acc"`
	Multicast     bool      `json:"multicast,omitempty"`
	SharedSPM     bool      `json:"shared_spm,omitempty"`
	Cores         *int64    `json:"cores,omitempty"`
	SPMBytes      *int64    `json:"spm_bytes,omitempty"`
	SPM           []spmJSON `json:"spm,omitempty"`
	Dataflows     []string  `json:"dataflows,omitempty"`
	Im2col        string    `json:"im2col,omitempty"`
	Energy        *Energy   `json:"energy"`
}

// spmJSON is one of several SPMs; without bytes it is unlimited.
type spmJSON struct {
	Holds []string `json:"holds"`
	Bytes *int64   `json:"bytes,omitempty"`
}

// The two lowerings of a convolution (cost model section 1).
const (
	implicitIm2col = "implicit"
	explicitIm2col = "explicit"
)

// ParseParams reads the hardware object of a case (cost model section 8). The
// optional fields are dma_latency, multicast, shared_spm (cost model), spm_bytes
// (one SPM per core; absent means unlimited) or spm (a list of SPMs with holds
// and bytes), cores, dataflows and im2col. Unknown, repeated, missing and
// impossible fields are reported all at once, each wrapping ErrInvalid.
func ParseParams(data []byte) (Params, error) {
	var p Params
	err := p.UnmarshalJSON(data)
	return p, err
}

// UnmarshalJSON implements json.Unmarshaler; see ParseParams.
func (p *Params) UnmarshalJSON(data []byte) error {
	var v violations
	v.jsonKeys(data, reflect.TypeFor[paramsJSON](), "")
	var j *paramsJSON
	if err := json.Unmarshal(data, &j); err != nil {
		v.json("hardware", err)
		return v.err()
	}
	if j == nil {
		v.add("hardware", "is null, want a mapping")
		return v.err()
	}
	q := j.params(&v)
	v.params(&q)
	if err := v.err(); err != nil {
		return err
	}
	*p = q
	return nil
}

// params converts j, reporting what Params cannot express.
func (j *paramsJSON) params(v *violations) Params {
	p := Params{
		Rows: j.Rows, Cols: j.Cols, BytesPerCycle: j.BytesPerCycle, DMALatency: j.DMALatency,
		BytesIn: j.BytesIn, BytesOut: j.BytesOut, BytesAcc: j.BytesAcc,
		Multicast: j.Multicast, SharedSPM: j.SharedSPM,
		ExplicitIm2col: v.im2col(j.Im2col),
	}
	if j.Pipelined == nil {
		v.add("pipelined", "is missing, want true or false")
	} else {
		p.Pipelined = *j.Pipelined
	}
	if j.Energy == nil {
		v.add("energy", "is missing, want a mapping with mac_pj, spm_pj_per_byte, dram_pj_per_byte and static_pj_per_cycle")
	} else {
		p.Energy = *j.Energy
	}
	if j.Cores != nil {
		p.Cores = *j.Cores
		v.whole("cores", p.Cores, 1, MaxCores)
	}
	for _, d := range v.dataflows(j.Dataflows) {
		p.Dataflows[d] = true
	}
	j.setSPM(&p, v)
	return p
}

// setSPM sets the pools of p from whichever of spm_bytes and spm there is.
func (j *paramsJSON) setSPM(p *Params, v *violations) {
	p.UnifiedSPM(0)
	if j.SPMBytes != nil {
		v.whole("spm_bytes", *j.SPMBytes, 1, MaxSPMBytes)
		p.UnifiedSPM(*j.SPMBytes)
	}
	if j.SPM == nil {
		return
	}
	if j.SPMBytes != nil {
		v.add("spm", "and spm_bytes are both given, want one of them")
	}
	var spms []SPM
	for i, s := range j.SPM {
		spm := SPM{Holds: v.roles(index("spm", i)+".holds", s.Holds)}
		if s.Bytes != nil {
			spm.Bytes = *s.Bytes
			if spm.Bytes == 0 { // which stands for unlimited in Params
				v.add(index("spm", i)+".bytes", "is 0, want 1 to %d", MaxSPMBytes)
			}
		}
		spms = append(spms, spm)
	}
	before := len(*v)
	v.spms(spms, 0)
	if len(*v) == before && len(spms) <= int(NumRoles) {
		p.setPools(spms)
	}
}

// im2col reports a lowering that is none and returns whether it is explicit.
func (v *violations) im2col(s string) (explicit bool) {
	if s != "" && s != implicitIm2col && s != explicitIm2col {
		v.add("im2col", "is %q, want %s or %s", s, implicitIm2col, explicitIm2col)
	}
	return s == explicitIm2col
}

// MarshalJSON implements json.Marshaler: what ParseParams reads. Fields at
// their defaults are left out where the format allows.
func (p Params) MarshalJSON() ([]byte, error) {
	j := paramsJSON{
		Rows: p.Rows, Cols: p.Cols, Pipelined: &p.Pipelined, BytesPerCycle: p.BytesPerCycle, DMALatency: p.DMALatency,
		BytesIn: p.BytesIn, BytesOut: p.BytesOut, BytesAcc: p.BytesAcc,
		Multicast: p.Multicast, SharedSPM: p.SharedSPM, Energy: &p.Energy,
	}
	if p.Cores != 0 {
		j.Cores = &p.Cores
	}
	if p.ExplicitIm2col {
		j.Im2col = explicitIm2col
	}
	for d, has := range p.Dataflows {
		if has {
			j.Dataflows = append(j.Dataflows, dataflowNames[d])
		}
	}
	switch spms := p.spms(); {
	case p.NPools == 1 && p.Pools[0].Bytes > 0:
		j.SPMBytes = &p.Pools[0].Bytes
	case p.NPools > 1:
		for _, s := range spms {
			j.SPM = append(j.SPM, s.json())
		}
	}
	return json.Marshal(j)
}

func (s SPM) json() spmJSON {
	var j spmJSON
	for _, r := range s.Holds {
		j.Holds = append(j.Holds, r.String())
	}
	if s.Bytes > 0 {
		j.Bytes = &s.Bytes
	}
	return j
}
