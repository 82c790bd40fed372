package export

import (
	"encoding/json"
	"fmt"

	"github.com/npu-tune/npu-tune/space"
)

// Tile is the tile of one GEMM in PyTorchSim's terms: rows of the result M,
// its columns N, the reduction K.
type Tile struct {
	M int64 `json:"TILE_M"`
	N int64 `json:"TILE_N"`
	K int64 `json:"TILE_K"`
}

// Tiles are the tiles of GEMMs by their shapes, "M_N_K": the file that
// PyTorchSim reads external mappings from.
type Tiles map[string]Tile

// Add notes the tile of each operation of a schedule, and reports how many of
// them were left out: a shape has one tile, the first.
func (t Tiles) Add(p *space.Problem, s *space.Schedule) (left int) {
	for _, op := range s.Pass.Ops() {
		o := &s.Ops[op]
		e := p.Extents(o)
		tile := Tile{M: e[op.Rows()], N: e[op.Columns()], K: e[op.Reduction()]}
		key := fmt.Sprintf("%d_%d_%d", p.Dim(op.Rows()), p.Dim(op.Columns()), p.Dim(op.Reduction()))
		if old, ok := t[key]; !ok {
			t[key] = tile
		} else if old != tile {
			left++
		}
	}
	return left
}

// Encode returns the file; the same tiles give the same bytes.
func (t Tiles) Encode() ([]byte, error) {
	data, err := json.MarshalIndent(map[string]Tile(t), "", "    ")
	return append(data, '\n'), err
}
