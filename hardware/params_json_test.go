package hardware_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/npu-tune/npu-tune/hardware"
)

const caseHardware = `{"rows": 8, "cols": 4, "pipelined": true, "bytes_per_cycle": 0.5, "bytes_in": 2, "bytes_out": 2, "bytes_acc": 4,
	"energy": {"mac_pj": 0.5, "spm_pj_per_byte": 2, "dram_pj_per_byte": 64, "static_pj_per_cycle": 10}`

func caseParams() hardware.Params {
	p := hardware.Params{
		Rows: 8, Cols: 4, Pipelined: true, BytesPerCycle: 0.5, BytesIn: 2, BytesOut: 2, BytesAcc: 4,
		Energy: hardware.Energy{MACPJ: 0.5, SPMPJPerByte: 2, DRAMPJPerByte: 64, StaticPJPerCycle: 10},
	}
	p.UnifiedSPM(0)
	return p
}

func TestParseParams(t *testing.T) {
	for _, c := range []struct {
		extra string
		edit  func(*hardware.Params)
	}{
		{``, func(*hardware.Params) {}},
		{`, "dma_latency": 100, "multicast": true, "shared_spm": true`, func(p *hardware.Params) {
			p.DMALatency, p.Multicast, p.SharedSPM = 100, true, true
		}},
		{`, "spm_bytes": 4096, "cores": 8`, func(p *hardware.Params) { p.UnifiedSPM(4096); p.Cores = 8 }},
		{`, "spm": [{"holds": ["weights", "inputs"], "bytes": 64}, {"holds": ["accumulators"]}]`, func(p *hardware.Params) {
			p.NPools = 2
			p.Pools = [hardware.NumRoles]hardware.Pool{{Bytes: 64}, {}}
			p.PoolOf = [hardware.NumRoles]uint8{hardware.Accumulators: 1}
		}},
		{`, "dataflows": ["ws", "os"], "im2col": "explicit"`, func(p *hardware.Params) {
			p.Dataflows = [hardware.NumDataflows]bool{hardware.OS: true, hardware.WS: true}
			p.ExplicitIm2col = true
		}},
		{`, "im2col": "implicit", "dataflows": null`, func(*hardware.Params) {}},
	} {
		got, err := hardware.ParseParams([]byte(caseHardware + c.extra + "}"))
		if err != nil {
			t.Errorf("%s: %v", c.extra, err)
			continue
		}
		want := caseParams()
		c.edit(&want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.extra, diff)
		}
	}
}

func TestParseParamsErrors(t *testing.T) {
	for _, c := range []struct {
		data string
		want []string // all of them
	}{
		{caseHardware + `, "rosw": 3, "energy_pj": 1}`, []string{`rosw is unknown, did you mean "rows"?`, `energy_pj is unknown, did you mean "energy"?`}},
		{caseHardware + `, "Rows": 9}`, []string{`Rows is unknown, did you mean "rows"?`}},
		{caseHardware + `, "rows": 9}`, []string{`rows occurs twice`}},
		{strings.Replace(caseHardware, "mac_pj", "mac_pJ", 1) + "}", []string{`energy.mac_pJ is unknown, did you mean "mac_pj"?`}},
		{caseHardware + `, "spm": [{"holds": ["inputs"], "byte": 1}]}`, []string{
			`spm[0].byte is unknown, did you mean "bytes"?`, "holds weights nowhere", "holds accumulators nowhere",
		}},
		{caseHardware + `, "spm": [{"holds": ["inputs", "weights"], "bytes": 0}, {"holds": ["inputs", "accumulator"]}, {"holds": []}]}`, []string{
			"spm[0].bytes is 0", "inputs 2 times", `"accumulator", want inputs, weights, accumulators, did you mean "accumulators"?`, "spm[2].holds is empty",
		}},
		{caseHardware + `, "spm_bytes": 1, "spm": []}`, []string{"spm and spm_bytes are both given"}},
		{caseHardware + `, "spm_bytes": 0, "cores": 0}`, []string{"spm_bytes is 0, want 1 to ", "cores is 0, want 1 to 1024"}},
		{caseHardware + `, "dataflows": ["os", "rs", "os"], "im2col": "none"}`, []string{
			`dataflows has "rs", want os, ws, is`, `dataflows has "os" twice`, `im2col is "none", want implicit or explicit`,
		}},
		{caseHardware + `, "dataflows": []}`, []string{"dataflows is empty"}},
		{`{}`, []string{
			"rows is 0, want 1 to 65536", "cols is 0", "pipelined is missing", "bytes_per_cycle is 0", "bytes_in is 0",
			"bytes_out is 0", "bytes_acc is 0", "energy is missing",
		}},
		{`{"rows": 8.5}`, []string{"rows is 8.5, want a whole number"}},
		{`{"pipelined": 1}`, []string{"pipelined is a number, want true or false"}},
		{`{"energy": {"mac_pj": "a lot"}}`, []string{"energy.mac_pj is a text, want a number"}},
		{`[]`, []string{"hardware is a list, want a mapping"}},
		{`null`, []string{"hardware is null"}},
		{``, []string{"unexpected end of JSON input"}},
		{caseHardware + `} {}`, []string{"after top-level value"}},
	} {
		_, err := hardware.ParseParams([]byte(c.data))
		if !errors.Is(err, hardware.ErrInvalid) {
			t.Errorf("%s: error %v, want one that wraps ErrInvalid", c.data, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error\n%v\ndoes not say %q", c.data, err, want)
			}
		}
	}
}

func TestUnmarshalLeavesParamsOnError(t *testing.T) {
	got := caseParams()
	if err := json.Unmarshal([]byte(`{"rows": 0}`), &got); err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(caseParams(), got); diff != "" {
		t.Error(diff)
	}
}

func TestParamsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawParams(t)
		if err := want.Validate(); err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(struct{ Hardware hardware.Params }{want})
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Hardware hardware.Params }
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if diff := cmp.Diff(want, got.Hardware); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", data, diff)
		}
	})
}

func drawParams(t *rapid.T) hardware.Params {
	energy := rapid.Float64Range(0, 1e3)
	out := rapid.Int64Range(1, 8).Draw(t, "out")
	p := hardware.Params{
		Rows: rapid.Int64Range(1, hardware.MaxArray).Draw(t, "rows"), Cols: rapid.Int64Range(1, hardware.MaxArray).Draw(t, "cols"),
		Pipelined: rapid.Bool().Draw(t, "pipelined"), BytesPerCycle: rapid.Float64Range(1e-6, 1e9).Draw(t, "bandwidth"),
		DMALatency: rapid.Int64Range(0, 1000).Draw(t, "latency"),
		BytesIn:    rapid.Int64Range(1, 16).Draw(t, "in"), BytesOut: out, BytesAcc: rapid.Int64Range(out, 16).Draw(t, "acc"),
		Multicast: rapid.Bool().Draw(t, "multicast"), SharedSPM: rapid.Bool().Draw(t, "shared"),
		Cores:          rapid.Int64Range(0, hardware.MaxCores).Draw(t, "cores"),
		Energy:         hardware.Energy{MACPJ: energy.Draw(t, "mac"), SPMPJPerByte: energy.Draw(t, "spm"), DRAMPJPerByte: energy.Draw(t, "dram"), StaticPJPerCycle: energy.Draw(t, "static")},
		ExplicitIm2col: rapid.Bool().Draw(t, "explicit"),
	}
	for d := range p.Dataflows {
		p.Dataflows[d] = rapid.Bool().Draw(t, "dataflow")
	}
	bytes := rapid.Int64Range(0, hardware.MaxSPMBytes)
	p.UnifiedSPM(bytes.Draw(t, "bytes"))
	if rapid.Bool().Draw(t, "separate") {
		p.NPools = 2
		p.Pools[1].Bytes = bytes.Draw(t, "bytes")
		p.PoolOf[rapid.IntRange(0, 2).Draw(t, "role")] = 1
	}
	return p
}

func TestParamsValidate(t *testing.T) {
	p := caseParams()
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
	p.BytesAcc, p.BytesPerCycle, p.Energy.SPMPJPerByte, p.Cores, p.NPools = 1, -1, -2, -3, 4
	err := p.Validate()
	for _, want := range []string{
		"bytes_acc is 1, want at least bytes_out = 2", "bytes_per_cycle is -1, want 1e-06 to 1e+09",
		"energy.spm_pj_per_byte is -2, want 0 to 1e+09", "cores is -3, want 0 to 1024", "spm has 4 SPMs, want 1 to 3",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
}
