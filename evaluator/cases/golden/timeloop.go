package golden

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

//go:embed testdata/timeloop-traffic.json
var timeloopTraffic []byte

// Traffic is what a forward GEMM moves over the DRAM interface in Timeloop's
// model, in elements.
type Traffic struct {
	X      int64 `json:"x"`
	W      int64 `json:"w"`
	YRead  int64 `json:"y_read"`  // partial sums read back
	YWrite int64 `json:"y_write"` // all writes
}

// TimeloopCase is a forward GEMM whose scratchpad holds one tile of each
// tensor, with the traffic that Timeloop counts. All widths of the problem are
// one byte, so bytes are elements.
type TimeloopCase struct {
	Problem  space.Problem
	Schedule space.Schedule
	Want     Traffic
}

// Timeloop decodes 60 forward GEMMs.
func Timeloop() ([]TimeloopCase, error) {
	var file struct {
		Cases []struct {
			M     int64            `json:"m"`
			N     int64            `json:"n"`
			K     int64            `json:"k"`
			Tile  map[string]int64 `json:"tile"`
			Order [3]string        `json:"order"`
			Want  Traffic          `json:"dram_elements"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(timeloopTraffic, &file); err != nil {
		return nil, fmt.Errorf("golden traffic: %w", err)
	}
	all := make([]TimeloopCase, len(file.Cases))
	for i, f := range file.Cases {
		c := &all[i]
		c.Problem = bareProblem(f.M, f.N, f.K, 1, 1)
		c.Want = f.Want
		o := space.OpSchedule{Dataflow: hardware.OS}
		for d := range space.NumDims {
			o.Tile[d] = f.Tile[d.String()]
			for j, name := range f.Order {
				if name == d.String() {
					o.Order[j] = d
				}
			}
		}
		oneTileEach(&c.Problem, &o)
		c.Schedule = space.Schedule{Pass: space.Forward}
		c.Schedule.Ops[space.Fwd] = o
	}
	return all, nil
}

// oneTileEach holds each tensor at the innermost loop of its own that has more
// than one step: Timeloop passes over loops of one step when it looks for
// reuse.
func oneTileEach(p *space.Problem, o *space.OpSchedule) {
	steps := p.Steps(o)
	for lacks := range space.NumDims {
		for i, d := range o.Order {
			if d != lacks && steps[d] > 1 {
				o.Hold[lacks] = uint8(i + 1)
			}
		}
	}
}

// bareProblem is a forward GEMM on an array without a limit on the SPM, all
// widths one byte.
func bareProblem(m, n, k, rows, cols int64) space.Problem {
	hw := hardware.Params{Rows: rows, Cols: cols, BytesPerCycle: 1, BytesIn: 1, BytesOut: 1, BytesAcc: 1}
	hw.UnifiedSPM(0)
	return space.Problem{Layer: models.Layer{M: m, N: n, K: k}, HW: hw, Pass: space.Forward}
}
