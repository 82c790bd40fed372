package pytorchsim_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
	"github.com/npu-tune/npu-tune/space/handtuned/pytorchsim"
)

func TestParse(t *testing.T) {
	got, err := pytorchsim.Parse([]byte(`{"512_2048_8192" : {"TILE_M" : 512, "TILE_K" : 256, "TILE_N" : 1024}, "4_5_6": {"TILE_M": 9, "TILE_N": 1, "TILE_K": 2}}`), "x.json")
	if err != nil {
		t.Fatal(err)
	}
	want := []pytorchsim.Tile{{512, 2048, 8192, 512, 1024, 256}, {4, 5, 6, 4, 1, 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	again, err := pytorchsim.Parse(pytorchsim.Encode(got), "again.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]pytorchsim.Tile{want[1], want[0]}, again); diff != "" {
		t.Errorf("written and read (-want +got):\n%s", diff)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ json, want string }{
		{"", `x.json: the file is nothing, want a mapping such as {"512_512_512": {"TILE_M": 128, "TILE_N": 128, "TILE_K": 128}}`},
		{`{"1_2": {}}`, `x.json:1: "1_2" is no GEMM, want M_N_K with whole numbers from 1 to 2147483648`},
		{`{"01_2_3": {}}`, `x.json:1: "01_2_3" is no GEMM, want M_N_K with whole numbers from 1 to 2147483648`},
		{"{\n\"1_2_3\": {\"TILE_M\": 1, \"TILE_N\": 0, \"TILE_K\": 1}}", `x.json:2: 1_2_3.TILE_N is 0, want a whole number from 1 to 2147483648`},
		{`{"1_2_3": {"TILE_M": 1, "TILE_N": 1}}`, `x.json:1: 1_2_3.TILE_K is missing, want a whole number from 1 to 3`},
		{`{"1_2_3": {"TILE_M": 1, "TILE_N": 1, "TILE_K": 1, "DATAFLOW": 3}}`, `x.json:1: 1_2_3.DATAFLOW is unknown, want TILE_M, TILE_N, TILE_K`},
		{`{"1_2_3": 4}`, `x.json:1: 1_2_3 is 4, want a mapping`},
	} {
		_, err := pytorchsim.Parse([]byte(c.json), "x.json")
		if !errors.Is(err, pytorchsim.ErrTiles) || strings.ReplaceAll(err.Error(), "malformed PyTorchSim tile file: ", "") != c.want {
			t.Errorf("%s: error %v, want %s", c.json, err, c.want)
		}
	}
}

// The tiles of a schedule restrict each operation to them, and to nothing else.
func TestOfAndRestrict(t *testing.T) {
	p := &space.Problem{Layer: models.Layer{M: 40, N: 50, K: 60}, Pass: space.Backward}
	s := &space.Schedule{Pass: space.Backward}
	s.Ops[space.DX].Tile = [space.NumDims]int64{4, 5, 6}
	s.Ops[space.DW].Tile = [space.NumDims]int64{7, 8, 9}
	tiles := pytorchsim.Of(p, s)
	if diff := cmp.Diff([]pytorchsim.Tile{{40, 60, 50, 4, 6, 5}, {60, 50, 40, 9, 8, 7}}, tiles); diff != "" {
		t.Errorf("tiles (-want +got):\n%s", diff)
	}
	c, found := pytorchsim.Restrict(tiles, p)
	if found != 2 {
		t.Errorf("%d operations are restricted, want 2", found)
	}
	for _, op := range s.Pass.Ops() {
		if c.Ops[op].TileMax != s.Ops[op].Tile || c.Ops[op].TileMultiple != s.Ops[op].Tile {
			t.Errorf("%s: tiles are at most %v and multiples of %v, want %v", op, c.Ops[op].TileMax, c.Ops[op].TileMultiple, s.Ops[op].Tile)
		}
	}
	p.Layer.M++
	if c, found := pytorchsim.Restrict(tiles, p); found != 0 || c.Ops[space.DX].TileMax != [space.NumDims]int64{} {
		t.Errorf("another layer: %d operations are restricted, want none", found)
	}
}

func TestPeers(t *testing.T) {
	for file, want := range map[string]pytorchsim.Tile{
		"gemm_tpuv3_cheetsheat.json":     {512, 2048, 8192, 512, 1024, 512},
		"tutorial_external_mapping.json": {1024, 1024, 1024, 1024, 512, 512},
	} {
		data, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "shared", "peers", "pytorchsim", file))
		if err != nil {
			t.Skipf("sample file %s is not here", file)
		}
		got, err := pytorchsim.Parse(data, file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]pytorchsim.Tile{want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"512_2048_8192" : {"TILE_M" : 512, "TILE_K" : 256, "TILE_N" : 1024}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tiles, err := pytorchsim.Parse(data, "fuzz.json")
		if err != nil {
			if !errors.Is(err, pytorchsim.ErrTiles) {
				t.Fatalf("error %v does not wrap ErrTiles", err)
			}
			return
		}
		again, err := pytorchsim.Parse(pytorchsim.Encode(tiles), "again.json")
		if err != nil || len(again) != len(tiles) {
			t.Fatalf("%d tiles are written, %d read: %v", len(tiles), len(again), err)
		}
	})
}
