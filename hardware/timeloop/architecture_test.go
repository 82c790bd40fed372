package timeloop_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/hardware/timeloop"
)

const old = `
architecture:
  version: 0.3
  subtree:
    - name: system
      local:
        - name: DRAM
          class: DRAM
          attributes: {word-bits: 16, read_bandwidth: 11, write_bandwidth: 11}
      subtree:
        - name: chip
          local:
            - name: Buffer
              class: SRAM
              attributes: {depth: 4096, width: 128, word-bits: 16}
          subtree:
            - name: PE[0..31]
              local:
                - name: Reg
                  class: regfile
                - name: MACC
                  class: intmac
                  attributes: {meshX: 8}
`

const new4 = `
architecture:
  version: 0.4
  nodes:
  - !Container
    name: system
  - !Component
    name: DRAM
    class: DRAM
    attributes: {datawidth: 16, shared_bandwidth: 11}
  - !Component
    name: Buffer
    class: smartbuffer_SRAM
    attributes: {depth: 4096, width: 128, datawidth: 16}
  - !Container
    name: PE
    spatial: {meshX: 8, meshY: 4}
  - !Component
    name: Reg
    class: regfile
  - !Component
    name: MACC
    class: intmac
`

func TestParse(t *testing.T) {
	for version, text := range map[string]string{"0.3": old, "0.4": new4} {
		n, notes, err := timeloop.Parse([]byte(text), "dir/chip.yaml")
		if err != nil {
			t.Errorf("%s: %v", version, err)
			continue
		}
		want := &hardware.NPU{
			Name: "chip", Description: n.Description, Array: hardware.Array{Rows: 4, Cols: 8},
			Dataflows: []hardware.Dataflow{hardware.OS, hardware.WS, hardware.IS}, ClockMHz: 1000, Cores: 1,
			SPMs: hardware.Unified(4096 * 128 / 8), DRAMGBPerS: 22, BytesIn: 2, BytesOut: 2, BytesAcc: 2,
		}
		if diff := cmp.Diff(want, n); diff != "" {
			t.Errorf("%s (-want +got):\n%s", version, diff)
		}
		if all := strings.Join(notes, "\n"); !strings.Contains(all, "1000 MHz") || !strings.Contains(all, "inside the array: Reg") {
			t.Errorf("%s: notes are %q", version, notes)
		}
		if !timeloop.Is([]byte(text)) {
			t.Errorf("%s: not taken for an architecture", version)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"architecture", "problem", "x.yaml:2: the file has no architecture, want a mapping with architecture"},
		{"subtree:\n    - name: system", "levels:\n    - name: system", "x.yaml:3: architecture has version, levels, want subtree or nodes"},
		{"name: PE[0..31]", "name: PE[0..1]", "x.yaml:21: meshX of MACC is 8, want a divisor of its 2 instances"},
		{"intmac", "adder", ""}, // the name still says what it is
		{"MACC\n                  class: intmac", "Adder\n                  class: adder", "x.yaml: it has DRAM, Buffer, 32 Reg, 32 Adder, want DRAM, one buffer that all processing elements share, and multiply-accumulate units"},
		{"name: chip", "name: chip[0..1]", "x.yaml: it has DRAM, 2 Buffer, 64 Reg, 64 MACC, want DRAM, one buffer that all processing elements share, and multiply-accumulate units"},
		{"depth: 4096", "depth: -1", "x.yaml:15: depth of Buffer is -1, want a number above 0"},
		{"width: 128, word-bits: 16", "width: 128, word-bits: 12", "x.yaml:13: words of Buffer have 12 bits, want a multiple of 8 up to 128"},
	} {
		_, _, err := timeloop.Parse([]byte(strings.Replace(old, c.from, c.to, 1)), "x.yaml")
		if c.want == "" {
			if err != nil {
				t.Errorf("%q: %v", c.to, err)
			}
			continue
		}
		if !errors.Is(err, timeloop.ErrArchitecture) || !strings.HasPrefix(strings.ReplaceAll(err.Error(), "cannot import Timeloop architecture: ", ""), c.want) {
			t.Errorf("%q: error %v, want %s", c.to, err, c.want)
		}
	}
}

func TestPeers(t *testing.T) {
	path := filepath.Join("..", "..", "..", "shared", "peers", "timeloop", "arch_3level_45x45.yaml")
	if _, err := os.Stat(path); err != nil {
		t.Skip("sample file arch_3level_45x45.yaml is not here")
	}
	n, _, err := timeloop.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := "arch_3level_45x45: 45×45, 1000 MHz, 1 MiB SPM, 64 GB/s"; n.String() != want {
		t.Errorf("it is %s, want %s", n, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(old))
	f.Add([]byte(new4))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, _, err := timeloop.Parse(data, "fuzz.yaml")
		if err != nil {
			if !errors.Is(err, timeloop.ErrArchitecture) {
				t.Fatalf("error %v does not wrap ErrArchitecture", err)
			}
			return
		}
		text, err := n.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := hardware.Parse(text, "again.yaml")
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(n, again); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
