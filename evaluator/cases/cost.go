package cases

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/space"
)

// cost is the expect object of a case. Pointers tell a missing field from 0.
type cost struct {
	Ops            *int64                       `json:"ops"`
	Traffic        map[string]evaluator.Traffic `json:"traffic"`
	DRAMBytes      *int64                       `json:"dram_bytes"`
	Slots          map[string]int64             `json:"slots"`
	SPMBytes       *int64                       `json:"spm_bytes"`
	ComputeCycles  *int64                       `json:"compute_cycles"`
	Cycles         *float64                     `json:"cycles"`
	MACs           *int64                       `json:"macs"`
	SPMAccessBytes *int64                       `json:"spm_access_bytes"`
	EnergyPJ       *float64                     `json:"energy_pj"`
}

// EncodeCost writes a cost as the expect object of a case: traffic of the
// tensors that the pass touches, slots of the regions that there are.
func EncodeCost(pass space.Pass, c *evaluator.Cost) ([]byte, error) {
	w := cost{
		Ops: &c.Ops, DRAMBytes: &c.DRAMBytes, SPMBytes: &c.SPMBytes, ComputeCycles: &c.ComputeCycles,
		Cycles: &c.Cycles, MACs: &c.MACs, SPMAccessBytes: &c.SPMAccessBytes, EnergyPJ: &c.EnergyPJ,
		Traffic: map[string]evaluator.Traffic{}, Slots: map[string]int64{},
	}
	for _, op := range pass.Ops() {
		for d := range space.NumDims {
			t := op.Tensor(d)
			w.Traffic[t.String()] = c.Traffic[t]
		}
	}
	for r := range space.NumRegions {
		if c.Slots[r] > 0 {
			w.Slots[r.String()] = c.Slots[r]
		}
	}
	return json.Marshal(w)
}

// DecodeCost reads an expect object, strictly: every field must be there.
func DecodeCost(raw []byte, c *evaluator.Cost) error {
	var w cost
	if err := strict("expect", raw, &w); err != nil {
		return err
	}
	var v evaluator.Cost
	for _, f := range []struct {
		name     string
		from, to *int64
	}{
		{"ops", w.Ops, &v.Ops}, {"dram_bytes", w.DRAMBytes, &v.DRAMBytes}, {"spm_bytes", w.SPMBytes, &v.SPMBytes},
		{"compute_cycles", w.ComputeCycles, &v.ComputeCycles}, {"macs", w.MACs, &v.MACs},
		{"spm_access_bytes", w.SPMAccessBytes, &v.SPMAccessBytes},
	} {
		if f.from == nil {
			return fmt.Errorf("%w: expect.%s is missing", ErrCase, f.name)
		}
		*f.to = *f.from
	}
	if w.Cycles == nil || w.EnergyPJ == nil {
		return fmt.Errorf("%w: expect.cycles or expect.energy_pj is missing", ErrCase)
	}
	v.Cycles, v.EnergyPJ = *w.Cycles, *w.EnergyPJ
	if err := byName("traffic", w.Traffic, v.Traffic[:], space.Tensor.String); err != nil {
		return err
	}
	if err := byName("slots", w.Slots, v.Slots[:], space.Region.String); err != nil {
		return err
	}
	*c = v
	return nil
}

// byName puts the values of an object where their names stand.
func byName[K ~uint8, V any](field string, from map[string]V, to []V, name func(K) string) error {
	if from == nil {
		return fmt.Errorf("%w: expect.%s is missing", ErrCase, field)
	}
	found := 0
	for i := range to {
		if v, ok := from[name(K(i))]; ok {
			to[i] = v
			found++
		}
	}
	if found == len(from) {
		return nil
	}
	known := map[string]bool{}
	var names []string
	for i := range to {
		known[name(K(i))] = true
		names = append(names, name(K(i)))
	}
	for n := range from {
		if !known[n] {
			return fmt.Errorf("%w: expect.%s has %q, want some of %v", ErrCase, field, n, names)
		}
	}
	return nil
}

// Tolerance is how far cycles and energy may differ, relative to the larger.
const Tolerance = 1e-9

// Diff lists the fields of a case in which two costs differ, each with both
// values; nil if they agree: integers exactly, cycles and energy within
// Tolerance.
func Diff(got, want *evaluator.Cost) []string {
	var diffs []string
	ints := func(name string, g, w int64) {
		if g != w {
			diffs = append(diffs, fmt.Sprintf("%s is %d, want %d", name, g, w))
		}
	}
	floats := func(name string, g, w float64) {
		// Written so that a NaN differs from everything.
		if !(math.Abs(g-w) <= Tolerance*max(math.Abs(g), math.Abs(w))) {
			diffs = append(diffs, fmt.Sprintf("%s is %v, want %v", name, g, w))
		}
	}
	ints("ops", got.Ops, want.Ops)
	for t := range space.NumTensors {
		ints("traffic."+t.String()+".read", got.Traffic[t].Read, want.Traffic[t].Read)
		ints("traffic."+t.String()+".write", got.Traffic[t].Write, want.Traffic[t].Write)
	}
	ints("dram_bytes", got.DRAMBytes, want.DRAMBytes)
	for r := range space.NumRegions {
		ints("slots."+r.String(), got.Slots[r], want.Slots[r])
	}
	ints("spm_bytes", got.SPMBytes, want.SPMBytes)
	ints("compute_cycles", got.ComputeCycles, want.ComputeCycles)
	floats("cycles", got.Cycles, want.Cycles)
	ints("macs", got.MACs, want.MACs)
	ints("spm_access_bytes", got.SPMAccessBytes, want.SPMAccessBytes)
	floats("energy_pj", got.EnergyPJ, want.EnergyPJ)
	return diffs
}
