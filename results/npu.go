package results

import "github.com/npu-tune/npu-tune/hardware"

// NPU is the hardware of a run, as resolved: everything that cost depends on,
// in the units of the cost model and the JSON of its section 8.
type NPU struct {
	Name     string          `json:"name"`
	ClockMHz float64         `json:"clock_mhz"`
	Hardware hardware.Params `json:"hardware"`
}

// Milliseconds converts cycles of the NPU's clock.
func (n *NPU) Milliseconds(cycles float64) float64 { return cycles / (n.ClockMHz * 1e3) }

// cores returns how many cores a pass may use.
func (n *NPU) cores() int64 { return max(n.Hardware.Cores, 1) }
