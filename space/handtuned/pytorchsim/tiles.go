package pytorchsim

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/npu-tune/npu-tune/internal/yamltree"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// ErrTiles is wrapped by every error about what a tile file holds.
var ErrTiles = errors.New("malformed PyTorchSim tile file")

// Tile is the tile of one GEMM: result rows M, columns N and reduction K, in
// elements.
type Tile struct {
	M, N, K             int64 // the GEMM
	TileM, TileN, TileK int64 // 1 to its extent each
}

// Key returns the GEMM as files name it.
func (t Tile) Key() string { return fmt.Sprintf("%d_%d_%d", t.M, t.N, t.K) }

var limits = yamltree.Limits{Bytes: 4 << 20, Depth: 8}

// Parse reads a tile file; name stands for it in errors, which wrap ErrTiles:
// all that is wrong, with its line, what it is and what would be right. Tiles
// come in the order of the file.
func Parse(data []byte, name string) ([]Tile, error) {
	problems := yamltree.NewProblems(name, ErrTiles)
	root, err := yamltree.Parse(data, limits)
	if err != nil {
		problems.Syntax(err)
		return nil, problems.Err()
	}
	if root.Kind != yamltree.Map || len(root.Entries) == 0 {
		problems.Addf(root.Line, "the file is %s, want a mapping such as {\"512_512_512\": {\"TILE_M\": 128, \"TILE_N\": 128, \"TILE_K\": 128}}", root.Kind)
	}
	var tiles []Tile
	for _, e := range root.Entries {
		t, ok := gemm(e.Key)
		if !ok {
			problems.Addf(e.Line, "%.100q is no GEMM, want M_N_K with whole numbers from 1 to %d", e.Key, models.MaxDim)
			continue
		}
		f := problems.Fields(e.Value, e.Key)
		f.Ask("TILE_M", "TILE_N", "TILE_K")
		for _, x := range []struct {
			key   string
			at    *int64
			limit int64
		}{{"TILE_M", &t.TileM, t.M}, {"TILE_N", &t.TileN, t.N}, {"TILE_K", &t.TileK, t.K}} {
			if !f.Has(x.key) {
				f.Missing(x.key, "a whole number from 1 to %d", x.limit)
				continue
			}
			*x.at = min(f.Int(x.key, 1, models.MaxDim, 1), x.limit) // a larger tile is the whole
		}
		f.Unknown()
		tiles = append(tiles, t)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return tiles, nil
}

// gemm reads M_N_K.
func gemm(key string) (t Tile, ok bool) {
	parts := strings.Split(key, "_")
	if len(parts) != 3 {
		return t, false
	}
	for i, at := range []*int64{&t.M, &t.N, &t.K} {
		n, err := strconv.ParseInt(parts[i], 10, 64)
		if err != nil || n < 1 || n > models.MaxDim || parts[i] != strconv.FormatInt(n, 10) {
			return t, false
		}
		*at = n
	}
	return t, true
}

// Encode writes a tile file, GEMMs in rising order; of several tiles of one
// GEMM the first.
func Encode(tiles []Tile) []byte {
	sorted := slices.Clone(tiles)
	slices.SortStableFunc(sorted, func(a, b Tile) int {
		return cmp.Or(cmp.Compare(a.M, b.M), cmp.Compare(a.N, b.N), cmp.Compare(a.K, b.K))
	})
	sorted = slices.CompactFunc(sorted, func(a, b Tile) bool { return a.Key() == b.Key() })
	var b bytes.Buffer
	b.WriteString("{")
	for i, t := range sorted {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "\n    %q: {\"TILE_M\": %d, \"TILE_N\": %d, \"TILE_K\": %d}", t.Key(), t.TileM, t.TileN, t.TileK)
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}

// Of returns the tile of each operation of a schedule, as a GEMM of its own.
func Of(p *space.Problem, s *space.Schedule) []Tile {
	var tiles []Tile
	for _, op := range s.Pass.Ops() {
		rows, cols, red := op.Rows(), op.Columns(), op.Reduction()
		tile := s.Ops[op].Tile
		tiles = append(tiles, Tile{p.Dim(rows), p.Dim(cols), p.Dim(red), tile[rows], tile[cols], tile[red]})
	}
	return tiles
}

// Restrict fixes the tile extents of those operations of a problem that the
// tiles have, and returns how many they are; everything else is left open.
func Restrict(tiles []Tile, p *space.Problem) (c space.Constraints, found int) {
	for _, op := range p.Pass.Ops() {
		rows, cols, red := op.Rows(), op.Columns(), op.Reduction()
		i := slices.IndexFunc(tiles, func(t Tile) bool { return t.M == p.Dim(rows) && t.N == p.Dim(cols) && t.K == p.Dim(red) })
		if i < 0 {
			continue
		}
		found++
		for d, extent := range map[space.Dim]int64{rows: tiles[i].TileM, cols: tiles[i].TileN, red: tiles[i].TileK} {
			// A multiple of it and at most it: it, or a core's share below it.
			c.Ops[op].TileMultiple[d], c.Ops[op].TileMax[d] = extent, extent
		}
	}
	return c, found
}
