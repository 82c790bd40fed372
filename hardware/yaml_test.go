package hardware_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/hardware"
)

// least is the YAML of an NPU that leaves out everything that has a default.
const least = `
array: {rows: 4, cols: 8}
clock_mhz: 500
spm_bytes: 2KiB
dram_gb_per_s: 3
`

func TestDefaults(t *testing.T) {
	got, err := hardware.Parse([]byte(least), "folder/tiny.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := &hardware.NPU{
		Name:      "tiny",
		Array:     hardware.Array{Rows: 4, Cols: 8, Pipelined: true},
		Dataflows: []hardware.Dataflow{hardware.OS, hardware.WS, hardware.IS},
		ClockMHz:  500, Cores: 1, SPMs: hardware.Unified(2048), DRAMGBPerS: 3,
		DMALatency: 100, BytesIn: 2, BytesOut: 2, BytesAcc: 4,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	roundTrip(t, got)
	p := got.Params()
	if p.BytesPerCycle != 6 || !p.HasDataflow(hardware.IS) || p.ExplicitIm2col {
		t.Errorf("params %+v, want 6 bytes per cycle, all dataflows, implicit im2col", p)
	}
}

func TestOtherSpellings(t *testing.T) {
	want, err := hardware.Parse([]byte(least), "x.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"byte order mark": "\ufeff" + strings.TrimSpace(least),
		"line ends":       strings.ReplaceAll(least, "\n", "\r\n"),
		"document marks":  "%YAML 1.2\n---" + least + "...\n",
		"JSON":            "{\n\t\"array\": {\"rows\": 4, \"cols\": 8},\n\t\"clock_mhz\": 5e2,\n\t\"spm_bytes\": \"2 KiB\", \"dram_gb_per_s\": 3\n}\n",
	} {
		got, err := hardware.Parse([]byte(text), "x.yaml")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestEveryKey(t *testing.T) {
	got, err := hardware.Parse([]byte(`# all of them
name: every
description: |
  two
  lines
array:
  rows: 4
  cols: 8
  pipelined: false
dataflows: [is, os]
clock_mhz: 0.5
cores: 2
max_cores: 3
spm:
  - {holds: [weights], bytes: 100}
  - holds:
      - accumulators
      - inputs
    bytes: 3 MiB
spm_shared: true
multicast: true
dram_gb_per_s_per_core: 1.5e-3
dma_latency_cycles: 0
bytes_in: 1
bytes_out: 3
bytes_acc: 3
energy: {mac_pj: 1, spm_pj_per_byte: 2.5, dram_pj_per_byte: 3e1, static_pj_per_cycle: 0x10}
im2col: explicit
`), "f.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := &hardware.NPU{
		Name: "every", Description: "two lines",
		Array:     hardware.Array{Rows: 4, Cols: 8},
		Dataflows: []hardware.Dataflow{hardware.IS, hardware.OS},
		ClockMHz:  0.5, Cores: 2, MaxCores: 3,
		SPMs: []hardware.SPM{
			{Holds: []hardware.Role{hardware.Weights}, Bytes: 100},
			{Holds: []hardware.Role{hardware.Accumulators, hardware.Inputs}, Bytes: 3 << 20},
		},
		SPMShared: true, Multicast: true, DRAMGBPerSPerCore: 1.5e-3,
		BytesIn: 1, BytesOut: 3, BytesAcc: 3,
		Energy:         hardware.Energy{MACPJ: 1, SPMPJPerByte: 2.5, DRAMPJPerByte: 30, StaticPJPerCycle: 16},
		ExplicitIm2col: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if p := got.Params(); p.BytesPerCycle != 6 || p.Cores != 2 || !p.SharedSPM || !p.Multicast || !p.ExplicitIm2col || p.Pipelined {
		t.Errorf("params %+v", p)
	}
	roundTrip(t, got)
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		yaml string
		want []string // the whole error, a line each, without "invalid NPU: "
	}{
		{least + "dataflow: [os]\n", []string{`npu.yaml:6: dataflow is unknown, did you mean "dataflows"?`}},
		{least + "energy:\n  mac_pj: 1\n  dram_pj: 3\n", []string{`npu.yaml:8: energy.dram_pj is unknown, did you mean "mac_pj"?`}},
		{strings.Replace(strings.Replace(least, "rows", "rosw", 1), "clock_mhz", "clok_mhz", 1), []string{
			`npu.yaml:2: array.rosw is unknown, did you mean "rows"?`, `npu.yaml:3: clok_mhz is unknown, did you mean "clock_mhz"?`,
		}},
		{least + "zzz: 1\n", []string{"npu.yaml:6: zzz is unknown, want one of name, description, array, dataflows, clock_mhz, cores, " +
			"max_cores, spm_bytes, spm, spm_shared, multicast, dram_gb_per_s, dram_gb_per_s_per_core, dma_latency_cycles, bytes_in, " +
			"bytes_out, bytes_acc, energy, im2col"}},
		{least + "cores: 2\ncores: 3\n", []string{`npu.yaml:7: mapping key "cores" already defined at [6:1]`}},
		{least + "---\n" + least, []string{"npu.yaml:8: a second document begins, want one NPU in a file"}},
		{least + "cores: two\n", []string{"npu.yaml:6: cores is a text, want a whole number of 64 bits"}},
		{least + "cores: 2.5\n", []string{"npu.yaml:6: cores is 2.5, want a whole number of 64 bits"}},
		{least + "multicast: yes\n", []string{"npu.yaml:6: multicast is a text, want true or false"}},
		{least + "dataflows: os\n", []string{"npu.yaml:6: dataflows is a text, want a list"}},
		{least + "energy: 3\n", []string{"npu.yaml:6: energy is a number, want a mapping"}},
		{least + "cores: *c\n", []string{"npu.yaml:6: alias is not supported, want the value itself"}},
		{least + "cores: &c 1\n", []string{"npu.yaml:6: anchor is not supported, want the value itself"}},
		{least + "cores: !!int 1\n", []string{"npu.yaml:6: tag is not supported, want the value itself"}},
		{least + "energy: {mac_pj: .nan}\n", []string{"npu.yaml:6: nan is not supported, want a finite number"}},
		{least + "1: 2\n", []string{"npu.yaml:6: integer is not supported, want a name as key"}},
		{least + "spm: [{holds: [inputs], bytes: 1}]\n", []string{"npu.yaml:4: spm_bytes and spm are both given, want one of them"}},
		{least + "dram_gb_per_s_per_core: 3\n", []string{"npu.yaml:5: dram_gb_per_s is 3 and dram_gb_per_s_per_core is 3, want one of them"}},
		{least + "im2col: none\n", []string{`npu.yaml:6: im2col is "none", want implicit or explicit`}},
		{least + "max_cores: 0\ndataflows: [rs]\n", []string{
			"npu.yaml:6: max_cores is 0, want 1 to 1024", `npu.yaml:7: dataflows has "rs", want os, ws, is`,
		}},
		{strings.Replace(least, "2KiB", "2KB", 1), []string{
			`npu.yaml:4: spm_bytes is "2KB", want a whole number and one of B, KiB, MiB, GiB, TiB, up to 64 TiB, did you mean "KiB"?`,
		}},
		{strings.Replace(least, "2KiB", "65TiB", 1), []string{
			`npu.yaml:4: spm_bytes is "65TiB", want a whole number and one of B, KiB, MiB, GiB, TiB, up to 64 TiB`,
		}},
		{strings.Replace(least, "2KiB", "1.5", 1), []string{
			`npu.yaml:4: spm_bytes is 1.5, want a whole number of bytes, or one with a unit such as 256KiB`,
		}},
		{strings.Replace(least, "spm_bytes: 2KiB", "spm:\n- holds: [inputs, weigths]\n  bytes: 0\n- holds: [accumulators]", 1), []string{
			`npu.yaml:5: spm[0].holds has "weigths", want inputs, weights, accumulators, did you mean "weights"?`,
			"npu.yaml:6: spm[0].bytes is 0, want 1 to 70368744177664", "npu.yaml:7: spm[1].bytes is 0, want 1 to 70368744177664",
		}},
		{"name: x\n", []string{
			"npu.yaml: array is missing, want a mapping with rows and cols", "npu.yaml: clock_mhz is 0, want 0.001 to 1e+06",
			"npu.yaml: spm_bytes is missing, want the bytes per core (or spm: separate ones)",
			"npu.yaml: dram_gb_per_s is missing or 0, want 1e-06 to 1e+09 (or dram_gb_per_s_per_core)",
		}},
		{"", []string{"npu.yaml: the NPU is empty, want a mapping with array, clock_mhz, spm_bytes, dram_gb_per_s and more"}},
		{"# nothing\n---\n", []string{"npu.yaml: the NPU is empty, want a mapping with array, clock_mhz, spm_bytes, dram_gb_per_s and more"}},
		{"- 1\n", []string{"npu.yaml: the NPU is a list, want a mapping"}},
		{"array: [", []string{"npu.yaml:1: sequence end token ']' not found"}},
		{"\xff\xfe", []string{"npu.yaml: the file is not UTF-8, want YAML"}},
		{strings.Repeat("[", 1001), []string{"npu.yaml: the file has more than 1000 lists or mappings, want the YAML of one NPU"}},
		{strings.Repeat("#", 1<<16+1), []string{"npu.yaml: the file has more than 64 KiB, want the YAML of one NPU"}},
	} {
		_, err := hardware.Parse([]byte(c.yaml), "npu.yaml")
		if !errors.Is(err, hardware.ErrInvalid) {
			t.Errorf("%.80q: error %v, want one that wraps ErrInvalid", c.yaml, err)
			continue
		}
		got := strings.Split(strings.ReplaceAll(err.Error(), "invalid NPU: ", ""), "\n")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%.200q (-want +got):\n%s", c.yaml, diff)
		}
	}
}

func TestLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(file, []byte(least), 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := hardware.Load(file)
	if err != nil || n.Name != "mine" {
		t.Errorf("Load: %+v, %v, want an NPU named mine", n, err)
	}
	if _, err := hardware.Load(file + "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load of no file: %v, want fs.ErrNotExist", err)
	}
	if _, err := hardware.Load(filepath.Dir(file)); err == nil {
		t.Error("Load of a folder: no error")
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range hardware.PresetNames() {
		data, err := hardware.PresetYAML(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(least))
	f.Add([]byte("name: '<&\\u2028: #'\n" + least))
	f.Add([]byte("description: \"- a\\tb: c # 1e3\"" + least))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := hardware.Parse(data, "fuzz.yaml")
		if err != nil {
			if !errors.Is(err, hardware.ErrInvalid) {
				t.Fatalf("error %v does not wrap ErrInvalid", err)
			}
			return
		}
		if err := n.Validate(); err != nil {
			t.Fatalf("parsed but invalid: %v", err)
		}
		roundTrip(t, n)
	})
}

func FuzzParseParams(f *testing.F) {
	f.Add([]byte(caseHardware + "}"))
	f.Add([]byte(caseHardware + `, "spm": [{"holds": ["weights", "inputs"], "bytes": 64}, {"holds": ["accumulators"]}]}`))
	f.Add([]byte(caseHardware + `, "spm_bytes": 3, "cores": 3, "dataflows": ["is"], "im2col": "explicit"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := hardware.ParseParams(data)
		if err != nil {
			if !errors.Is(err, hardware.ErrInvalid) {
				t.Fatalf("error %v does not wrap ErrInvalid", err)
			}
			return
		}
		if err := p.Validate(); err != nil {
			t.Fatalf("parsed but invalid: %v", err)
		}
		text, err := p.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		again, err := hardware.ParseParams(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(p, again); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
