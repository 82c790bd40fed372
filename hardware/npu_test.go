package hardware_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/hardware"
)

func preset(t *testing.T, name string) *hardware.NPU {
	t.Helper()
	n, err := hardware.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestPresets(t *testing.T) {
	want := []string{"ascend910", "gemmini", "large", "small", "tpuv2", "tpuv3", "tpuv4"}
	if diff := cmp.Diff(want, hardware.PresetNames()); diff != "" {
		t.Fatal(diff)
	}
	for _, name := range want {
		n := preset(t, name)
		if n.Name != name {
			t.Errorf("preset %s has name %s", name, n.Name)
		}
		if err := n.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		p := n.Params()
		if err := p.Validate(); err != nil {
			t.Errorf("%s: Params: %v", name, err)
		}
		roundTrip(t, n)
	}
}

// roundTrip checks that an NPU is what its YAML, its JSON and the JSON of its
// Params say.
func roundTrip(t *testing.T, n *hardware.NPU) {
	t.Helper()
	text, err := n.YAML()
	if err != nil {
		t.Fatal(err)
	}
	got, err := hardware.Parse(text, "written.yaml")
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	if diff := cmp.Diff(n, got); diff != "" {
		t.Errorf("YAML (-want +got):\n%s\n%s", diff, text)
	}
	text, err = json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	got = new(hardware.NPU)
	if err := json.Unmarshal(text, got); err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	if diff := cmp.Diff(n, got); diff != "" {
		t.Errorf("JSON (-want +got):\n%s\n%s", diff, text)
	}
	text, err = json.Marshal(n.Params())
	if err != nil {
		t.Fatal(err)
	}
	params, err := hardware.ParseParams(text)
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	if diff := cmp.Diff(n.Params(), params); diff != "" {
		t.Errorf("Params (-want +got):\n%s\n%s", diff, text)
	}
}

func TestUnknownPreset(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"smal", `"smal", want one of ascend910, gemmini, large, small, tpuv2, tpuv3, tpuv4, did you mean "small"?`},
		{"TPUv4", `did you mean "tpuv4"?`},
		{"ascend", `did you mean "ascend910"?`},
		{"../small", "want one of"},
		{"", "want one of"},
	} {
		_, err := hardware.Preset(c.name)
		if !errors.Is(err, hardware.ErrUnknownPreset) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Preset(%q): %v, want ErrUnknownPreset that says %s", c.name, err, c.want)
		}
	}
}

func TestPresetFigures(t *testing.T) {
	for _, c := range []struct {
		name          string
		cores, spm    int64 // bytes of one core
		bytesPerCycle float64
		pools         int
		tflops        float64 // published peak, 1e12 multiplications and additions a second; 0: none
	}{
		{"small", 1, 1 << 20, 22, 1, 0},
		{"large", 1, 8 << 20, 150e9 / 1050e6, 1, 0},
		{"tpuv2", 2, 16 << 20, 600e9 / 700e6, 1, 0},
		{"tpuv3", 4, 8 << 20, 900e9 / 940e6, 1, 0},
		{"tpuv4", 8, 16 << 20, 1200e9 / 1050e6, 1, 275}, // Cloud TPU documentation, bf16
		{"gemmini", 1, 320 << 10, 16, 2, 0},
		{"ascend910", 32, 1280 << 10, 1200, 2, 256}, // Hot Chips 2019, fp16; rounded down from 262
	} {
		n := preset(t, c.name)
		p := n.Params()
		if p.Cores != c.cores || p.SPMBytes() != c.spm || p.NPools != c.pools {
			t.Errorf("%s: %d cores, %d bytes in %d SPMs, want %d, %d in %d", c.name, p.Cores, p.SPMBytes(), p.NPools, c.cores, c.spm, c.pools)
		}
		if math.Abs(p.BytesPerCycle-c.bytesPerCycle) > 1e-12*c.bytesPerCycle {
			t.Errorf("%s: %v bytes per cycle, want %v", c.name, p.BytesPerCycle, c.bytesPerCycle)
		}
		if got := 2 * n.PeakTMACs(); c.tflops != 0 && math.Abs(got-c.tflops) > 0.03*c.tflops {
			t.Errorf("%s: peak of %v TFLOP/s, want %v", c.name, got, c.tflops)
		}
	}
}

func TestParamsOfSeparateSPMs(t *testing.T) {
	p := preset(t, "gemmini").Params()
	for _, c := range []struct {
		role  hardware.Role
		bytes int64
	}{{hardware.Inputs, 256 << 10}, {hardware.Weights, 256 << 10}, {hardware.Accumulators, 64 << 10}} {
		if got := p.Pools[p.PoolOf[c.role]].Bytes; got != c.bytes {
			t.Errorf("%s: %d bytes, want %d", c.role, got, c.bytes)
		}
	}
	if !p.HasDataflow(hardware.OS) || !p.HasDataflow(hardware.WS) || p.HasDataflow(hardware.IS) {
		t.Errorf("dataflows %v, want os and ws", p.Dataflows)
	}
}

func TestWithCores(t *testing.T) {
	large := preset(t, "large")
	for _, cores := range []int64{1, 2, 8} {
		n, err := large.WithCores(cores)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := n.BytesPerCycle(), float64(cores)*150e9/1050e6; math.Abs(got-want) > 1e-9 || n.Params().Cores != cores {
			t.Errorf("%d cores: %v bytes per cycle, want %v", cores, got, want)
		}
	}
	if large.Cores != 1 {
		t.Errorf("WithCores changed its receiver to %d cores", large.Cores)
	}
	// A bandwidth of the whole interface does not grow.
	one, err := preset(t, "tpuv4").WithCores(1)
	if err != nil || one.TotalGBPerS() != 1200 {
		t.Errorf("tpuv4 with one core: %v GB/s, %v, want 1200", one.TotalGBPerS(), err)
	}
	for name, cores := range map[string]int64{"large": 9, "small": 2, "tpuv4": 0, "tpuv2": -1} {
		if _, err := preset(t, name).WithCores(cores); !errors.Is(err, hardware.ErrInvalid) {
			t.Errorf("%s with %d cores: %v, want ErrInvalid", name, cores, err)
		}
	}
}

func TestValidateReportsEverything(t *testing.T) {
	n := &hardware.NPU{
		Name:        "two\nlines",
		Description: strings.Repeat("long ", 300),
		Array:       hardware.Array{Rows: 0, Cols: 65537},
		Dataflows:   []hardware.Dataflow{hardware.WS, hardware.WS, 7},
		ClockMHz:    math.NaN(),
		Cores:       1025,
		MaxCores:    3,
		SPMs:        []hardware.SPM{{Holds: []hardware.Role{hardware.Inputs, hardware.Inputs}, Bytes: -1}, {Bytes: 1 << 47}},
		DRAMGBPerS:  math.Inf(1),
		DMALatency:  -1,
		BytesIn:     0, BytesOut: 17, BytesAcc: -4,
		Energy: hardware.Energy{MACPJ: -1, SPMPJPerByte: math.NaN(), DRAMPJPerByte: math.Inf(1), StaticPJPerCycle: -0.5},
	}
	want := []string{
		`name is "two\nlines", want printable characters in one line`,
		"description has 1500 characters, want 0 to 1000",
		"array.rows is 0, want 1 to 65536",
		"array.cols is 65537, want 1 to 65536",
		`dataflows has "ws" twice, want each at most once`,
		`dataflows has "dataflow(7)", want os, ws, is`,
		"clock_mhz is NaN, want 0.001 to 1e+06",
		"cores is 1025, want 1 to 1024",
		"max_cores is 3, want 1024 to 1024",
		"spm[0].bytes is -1, want 1 to 70368744177664",
		"spm[1].bytes is 140737488355328, want 1 to 70368744177664",
		"spm[1].holds is empty, want some of inputs, weights, accumulators",
		"spm holds inputs 2 times, want exactly once",
		"spm holds weights nowhere, want exactly one SPM that holds them",
		"spm holds accumulators nowhere, want exactly one SPM that holds them",
		"dram_gb_per_s is +Inf, want 1e-06 to 1e+09",
		"dma_latency_cycles is -1, want 0 to 2147483648",
		"bytes_in is 0, want 1 to 16",
		"bytes_out is 17, want 1 to 16",
		"bytes_acc is -4, want 1 to 16",
		"energy.mac_pj is -1, want 0 to 1e+09",
		"energy.spm_pj_per_byte is NaN, want 0 to 1e+09",
		"energy.dram_pj_per_byte is +Inf, want 0 to 1e+09",
		"energy.static_pj_per_cycle is -0.5, want 0 to 1e+09",
	}
	err := n.Validate()
	if !errors.Is(err, hardware.ErrInvalid) {
		t.Fatalf("error %v, want ErrInvalid", err)
	}
	got := strings.Split(strings.ReplaceAll(err.Error(), "invalid NPU: ", ""), "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
}

func TestValidateOne(t *testing.T) {
	for _, c := range []struct {
		edit func(*hardware.NPU)
		want string
	}{
		{func(n *hardware.NPU) { n.Name = "" }, "name has 0 characters, want 1 to 64"},
		{func(n *hardware.NPU) { n.Dataflows = nil }, "dataflows is empty, want some of os, ws, is"},
		{func(n *hardware.NPU) { n.SPMs = nil }, "spm_bytes is missing"},
		{func(n *hardware.NPU) { n.SPMs[0].Bytes = 0 }, "spm_bytes is 0, want 1 to "},
		{func(n *hardware.NPU) { n.SPMs[0].Holds[0] = 9 }, "spm holds inputs nowhere"},
		{func(n *hardware.NPU) { n.DRAMGBPerS = 0 }, "dram_gb_per_s is missing or 0"},
		{func(n *hardware.NPU) { n.DRAMGBPerSPerCore = 5 }, "dram_gb_per_s is 22 and dram_gb_per_s_per_core is 5, want one of them"},
		{func(n *hardware.NPU) { n.DRAMGBPerS, n.DRAMGBPerSPerCore = 0, -5 }, "dram_gb_per_s_per_core is -5"},
		{func(n *hardware.NPU) { n.BytesOut, n.BytesAcc = 4, 2 }, "bytes_acc is 2, want at least bytes_out = 4"},
		{func(n *hardware.NPU) { n.ClockMHz, n.DRAMGBPerS = 1e6, 1e-6 }, "1e-09 bytes per cycle, want 1e-06 to 1e+09"},
		{func(n *hardware.NPU) { n.MaxCores, n.Cores = 2, 4 }, "max_cores is 2, want 4 to 1024"},
		{func(n *hardware.NPU) { n.Name = "\xff" }, "printable"},
	} {
		n := preset(t, "small")
		c.edit(n)
		err := n.Validate()
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one violation that says %q", err, c.want)
		}
	}
}

func TestSummary(t *testing.T) {
	large, err := preset(t, "large").WithCores(4)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := large.String(), "large: 4 cores of 128×128, 1050 MHz, 8 MiB SPM, 600 GB/s"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
	for n, want := range map[*hardware.NPU][]string{
		large: {
			"array        128 rows × 128 columns per core, pipelined\n", "cores        4 (up to 8)\n", "peak         68.81 TMAC/s\n",
			"8 MiB per core for inputs, weights, accumulators\n", "one SPM of all cores\n", "600 GB/s, 571.4 bytes per cycle (150 GB/s per core)\n",
		},
		preset(t, "gemmini"): {
			"dataflows    os, ws\n", "256 KiB per core for inputs, weights\n", "64 KiB per core for accumulators\n", "private to each core\n",
			"inputs 1, outputs 1, partial sums 4 bytes\n", "0.3 pJ per MAC, 6.57 pJ per SPM byte, 64 pJ per DRAM byte, 0 pJ per cycle\n",
		},
	} {
		for _, w := range want {
			if !strings.Contains(n.Summary(), w) {
				t.Errorf("summary\n%sdoes not say %q", n.Summary(), w)
			}
		}
	}
}
