package golden

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/space"
)

//go:embed testdata/scalesim-cycles.json
var scaleSimCycles []byte

// ScaleSimCase is a whole GEMM as one tile operation of an array that does not
// pipeline folds, with the cycles that SCALE-Sim v3 counts at unlimited
// bandwidth.
type ScaleSimCase struct {
	Problem  space.Problem
	Schedule space.Schedule
	Cycles   int64
}

// ScaleSim decodes 24 GEMMs: three dataflows on two arrays.
func ScaleSim() ([]ScaleSimCase, error) {
	var file struct {
		Cases []struct {
			Dataflow hardware.Dataflow `json:"dataflow"`
			Rows     int64             `json:"rows"`
			Cols     int64             `json:"cols"`
			M        int64             `json:"m"`
			N        int64             `json:"n"`
			K        int64             `json:"k"`
			Cycles   int64             `json:"cycles"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(scaleSimCycles, &file); err != nil {
		return nil, fmt.Errorf("golden cycles: %w", err)
	}
	all := make([]ScaleSimCase, len(file.Cases))
	for i, f := range file.Cases {
		c := &all[i]
		c.Problem = bareProblem(f.M, f.N, f.K, f.Rows, f.Cols)
		c.Schedule = space.Schedule{Pass: space.Forward}
		c.Schedule.Ops[space.Fwd] = space.OpSchedule{
			Tile: [space.NumDims]int64{f.M, f.N, f.K}, Order: space.Orders[0], Dataflow: f.Dataflow,
		}
		c.Cycles = f.Cycles
	}
	return all, nil
}
