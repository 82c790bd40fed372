package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/npu-tune/npu-tune/hardware"
)

// params is the hardware object of a case.
type params struct {
	Rows          int64           `json:"rows"`
	Cols          int64           `json:"cols"`
	Pipelined     bool            `json:"pipelined"`
	BytesPerCycle float64         `json:"bytes_per_cycle"`
	DMALatency    int64           `json:"dma_latency,omitempty"`
	BytesIn       int64           `json:"bytes_in"`
	BytesOut      int64           `json:"bytes_out"`
	BytesAcc      int64           `json:"bytes_acc"`
	Multicast     bool            `json:"multicast,omitempty"`
	SharedSPM     bool            `json:"shared_spm,omitempty"`
	SPMBytes      int64           `json:"spm_bytes,omitempty"` // one unified SPM; 0: unlimited
	Energy        hardware.Energy `json:"energy"`
}

func readHardware(raw []byte, p *hardware.Params) error {
	var w params
	if err := strict("hardware", raw, &w); err != nil {
		return err
	}
	if err := w.check(); err != nil {
		return err
	}
	*p = hardware.Params{
		Rows: w.Rows, Cols: w.Cols, Pipelined: w.Pipelined, BytesPerCycle: w.BytesPerCycle, DMALatency: w.DMALatency,
		BytesIn: w.BytesIn, BytesOut: w.BytesOut, BytesAcc: w.BytesAcc,
		Multicast: w.Multicast, SharedSPM: w.SharedSPM, Energy: w.Energy,
	}
	p.UnifiedSPM(w.SPMBytes)
	return nil
}

// check reports all figures that the cost model has no meaning for.
func (w *params) check() error {
	var errs []error
	for _, f := range []struct {
		name   string
		v      int64
		lo, hi int64
	}{
		{"rows", w.Rows, 1, 1 << 20}, {"cols", w.Cols, 1, 1 << 20}, {"dma_latency", w.DMALatency, 0, 1 << 31},
		{"bytes_in", w.BytesIn, 1, 1 << 10}, {"bytes_out", w.BytesOut, 1, 1 << 10}, {"bytes_acc", w.BytesAcc, 1, 1 << 10},
		{"spm_bytes", w.SPMBytes, 0, math.MaxInt64},
	} {
		if f.v < f.lo || f.v > f.hi {
			errs = append(errs, fmt.Errorf("%w: hardware.%s is %d, want %d to %d", ErrCase, f.name, f.v, f.lo, f.hi))
		}
	}
	if !(w.BytesPerCycle > 0) {
		errs = append(errs, fmt.Errorf("%w: hardware.bytes_per_cycle is %v, want more than 0", ErrCase, w.BytesPerCycle))
	}
	return errors.Join(errs...)
}

func writeHardware(p *hardware.Params) ([]byte, error) {
	return json.Marshal(params{
		Rows: p.Rows, Cols: p.Cols, Pipelined: p.Pipelined, BytesPerCycle: p.BytesPerCycle, DMALatency: p.DMALatency,
		BytesIn: p.BytesIn, BytesOut: p.BytesOut, BytesAcc: p.BytesAcc,
		Multicast: p.Multicast, SharedSPM: p.SharedSPM, SPMBytes: p.SPMBytes(), Energy: p.Energy,
	})
}
