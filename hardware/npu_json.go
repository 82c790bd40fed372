package hardware

import (
	"encoding/json"
	"reflect"
	"strings"
)

// npuFile is an NPU as its files have it; nil fields take their defaults. YAML
// is read and written through JSON, so that both have the same rules.
type npuFile struct {
	Name        *string    `json:"name"`
	Description string     `json:"description,omitempty"`
	Array       *arrayFile `json:"array"`
	Dataflows   []string   `json:"dataflows"`
	ClockMHz    float64    `json:"clock_mhz"`
	Cores       *int64     `json:"cores"`
	MaxCores    *int64     `json:"max_cores,omitempty"`
	SPMBytes    *size      `json:"spm_bytes,omitempty"`
	SPM         []spmFile  `json:"spm,omitempty"`
	SPMShared   bool       `json:"spm_shared"`
	Multicast   bool       `json:"multicast"`
	DRAM        *float64   `json:"dram_gb_per_s,omitempty"`
	DRAMPerCore *float64   `json:"dram_gb_per_s_per_core,omitempty"`
	DMALatency  *int64     `json:"dma_latency_cycles"`
	BytesIn     *int64     `json:"bytes_in"`
	BytesOut    *int64     `json:"bytes_out"`
	BytesAcc    *int64     `json:"bytes_acc"`
	Energy      *Energy    `json:"energy"`
	Im2col      *string    `json:"im2col"`
}

type arrayFile struct {
	Rows      int64 `json:"rows"`
	Cols      int64 `json:"cols"`
	Pipelined *bool `json:"pipelined"`
}

type spmFile struct {
	Holds []string `json:"holds"`
	Bytes *size    `json:"bytes"`
}

// What an NPU has where its file is silent.
const (
	defaultDMALatency = int64(100)
	defaultWidth      = int64(2)
	defaultAccWidth   = int64(4)
)

// UnmarshalJSON implements json.Unmarshaler with the keys, defaults and checks
// of the YAML; see Parse.
func (n *NPU) UnmarshalJSON(data []byte) error {
	m, v := decodeNPU(data, "")
	if err := v.err(); err != nil {
		return err
	}
	*n = *m
	return nil
}

// MarshalJSON implements json.Marshaler. Every figure is written, defaults
// too.
func (n NPU) MarshalJSON() ([]byte, error) { return json.Marshal(n.file()) }

// decodeNPU reads an NPU from JSON. name is the NPU's unless the file has one.
func decodeNPU(data []byte, name string) (*NPU, violations) {
	var v violations
	v.jsonKeys(data, reflect.TypeFor[npuFile](), "")
	var f *npuFile
	if err := json.Unmarshal(data, &f); err != nil {
		v.json("the NPU", err)
		return nil, v
	}
	if f == nil {
		v.add("the NPU", "is empty, want a mapping with array, clock_mhz, spm_bytes, dram_gb_per_s and more")
		return nil, v
	}
	n := f.npu(name, &v)
	var more violations
	more.npu(n)
	for _, x := range more {
		if !v.covers(x.field) {
			v = append(v, x)
		}
	}
	return n, v
}

// npu fills defaults in, reporting what an NPU cannot express.
func (f *npuFile) npu(name string, v *violations) *NPU {
	n := &NPU{
		Name:              or(f.Name, name),
		Description:       strings.Join(strings.Fields(f.Description), " "),
		Dataflows:         []Dataflow{OS, WS, IS},
		ClockMHz:          f.ClockMHz,
		Cores:             or(f.Cores, 1),
		SPMShared:         f.SPMShared,
		Multicast:         f.Multicast,
		DRAMGBPerS:        or(f.DRAM, 0),
		DRAMGBPerSPerCore: or(f.DRAMPerCore, 0),
		DMALatency:        or(f.DMALatency, defaultDMALatency),
		BytesIn:           or(f.BytesIn, defaultWidth),
		BytesOut:          or(f.BytesOut, defaultWidth),
		BytesAcc:          or(f.BytesAcc, defaultAccWidth),
		Energy:            or(f.Energy, Energy{}),
		ExplicitIm2col:    v.im2col(or(f.Im2col, implicitIm2col)),
	}
	if f.Array == nil {
		v.add("array", "is missing, want a mapping with rows and cols")
	} else {
		n.Array = Array{Rows: f.Array.Rows, Cols: f.Array.Cols, Pipelined: or(f.Array.Pipelined, true)}
	}
	if n.MaxCores = or(f.MaxCores, 0); f.MaxCores != nil {
		v.whole("max_cores", n.MaxCores, 1, MaxCores)
	}
	if f.Dataflows != nil {
		n.Dataflows = v.dataflows(f.Dataflows)
	}
	n.SPMs = f.spms(v)
	return n
}

// or returns what p points at, or a default where there is nothing.
func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

// spms returns the SPMs from whichever of spm_bytes and spm there is; none if
// there is neither.
func (f *npuFile) spms(v *violations) []SPM {
	if f.SPMBytes != nil && f.SPM != nil {
		v.add("spm_bytes", "and spm are both given, want one of them")
		return nil
	}
	if f.SPMBytes != nil {
		return Unified(v.size("spm_bytes", *f.SPMBytes))
	}
	var spms []SPM
	for i, s := range f.SPM {
		spms = append(spms, SPM{
			Holds: v.roles(index("spm", i)+".holds", s.Holds),
			Bytes: v.size(index("spm", i)+".bytes", or(s.Bytes, "0")),
		})
	}
	return spms
}

// file is the inverse of npuFile.npu.
func (n *NPU) file() npuFile {
	f := npuFile{
		Name: &n.Name, Description: n.Description,
		Array:     &arrayFile{n.Array.Rows, n.Array.Cols, &n.Array.Pipelined},
		Dataflows: []string{},
		ClockMHz:  n.ClockMHz, Cores: &n.Cores, SPMShared: n.SPMShared, Multicast: n.Multicast,
		DMALatency: &n.DMALatency, BytesIn: &n.BytesIn, BytesOut: &n.BytesOut, BytesAcc: &n.BytesAcc,
		Energy: &n.Energy,
	}
	for _, d := range n.Dataflows {
		f.Dataflows = append(f.Dataflows, d.String())
	}
	if n.MaxCores != 0 {
		f.MaxCores = &n.MaxCores
	}
	if n.DRAMGBPerS != 0 {
		f.DRAM = &n.DRAMGBPerS
	}
	if n.DRAMGBPerSPerCore != 0 {
		f.DRAMPerCore = &n.DRAMGBPerSPerCore
	}
	im2col := implicitIm2col
	if n.ExplicitIm2col {
		im2col = explicitIm2col
	}
	f.Im2col = &im2col
	f.setSPMs(n)
	return f
}

func (f *npuFile) setSPMs(n *NPU) {
	if n.unified() {
		f.SPMBytes = sizeOf(n.SPMs[0].Bytes)
		return
	}
	for _, s := range n.SPMs {
		holds := []string{}
		for _, r := range s.Holds {
			holds = append(holds, r.String())
		}
		f.SPM = append(f.SPM, spmFile{holds, sizeOf(s.Bytes)})
	}
}
