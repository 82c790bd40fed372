package scalesim_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/hardware/scalesim"
)

const least = `[general]
run_name = mine

[architecture_presets]
ArrayHeight:    12
ArrayWidth:     14
IfmapSramSzkB:    36
FilterSramSzkB:   37
OfmapSramSzkB:    38
Dataflow : ws
Bandwidth : 10
`

func TestParse(t *testing.T) {
	n, notes, err := scalesim.Parse([]byte(least), "x.cfg")
	if err != nil {
		t.Fatal(err)
	}
	want := &hardware.NPU{
		Name: "mine", Description: n.Description,
		Array: hardware.Array{Rows: 12, Cols: 14}, Dataflows: []hardware.Dataflow{hardware.WS}, ClockMHz: 1000, Cores: 1,
		SPMs: []hardware.SPM{
			{Holds: []hardware.Role{hardware.Inputs}, Bytes: 36 << 10},
			{Holds: []hardware.Role{hardware.Weights}, Bytes: 37 << 10},
			{Holds: []hardware.Role{hardware.Accumulators}, Bytes: 38 << 10},
		},
		DRAMGBPerS: 10, BytesIn: 1, BytesOut: 1, BytesAcc: 1,
	}
	if diff := cmp.Diff(want, n); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n.BytesPerCycle() != 10 {
		t.Errorf("%g bytes per cycle, want the file's 10 words", n.BytesPerCycle())
	}
	for _, said := range []string{"1000 MHz", "1 byte", "10 words a cycle"} {
		if !strings.Contains(strings.Join(notes, "\n"), said) || !strings.Contains(n.Description, said) {
			t.Errorf("notes %q and description %q do not say %q", notes, n.Description, said)
		}
	}
}

func TestVariants(t *testing.T) {
	for _, c := range []struct {
		name, from, to string
		check          func(n *hardware.NPU) bool
	}{
		{"no run name", "run_name = mine", "", func(n *hardware.NPU) bool { return n.Name == "x" }},
		{"equals signs, lower case", "ArrayHeight:    12", "arrayheight = 7", func(n *hardware.NPU) bool { return n.Array.Rows == 7 }},
		{"comment", "12", "7 # rows", func(n *hardware.NPU) bool { return n.Array.Rows == 7 }},
		{"carriage returns", "\n", "\r\n", func(n *hardware.NPU) bool { return n.Name == "mine" }},
		{"a bandwidth each", ": 10", ": 5,6,7", func(n *hardware.NPU) bool { return n.DRAMGBPerS == 5 }},
		{"upper case dataflow", "ws", "OS", func(n *hardware.NPU) bool { return n.Dataflows[0] == hardware.OS }},
		{"another section", "[general]", "[sparsity]\nDataflow : none\n[general]", func(n *hardware.NPU) bool { return n.Dataflows[0] == hardware.WS }},
	} {
		n, _, err := scalesim.Parse([]byte(strings.ReplaceAll(least, c.from, c.to)), "x.cfg")
		if err != nil || !c.check(n) {
			t.Errorf("%s: %+v, %v", c.name, n, err)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     []string
	}{
		{"ArrayHeight:    12", "", []string{"x.cfg: ArrayHeight is missing, want a whole number from 1 to 65536"}},
		{"ArrayHeight", "ArrayHieght", []string{"x.cfg: ArrayHeight is missing, want a whole number from 1 to 65536 (line 5 has ArrayHieght)"}},
		{"12", "0", []string{`x.cfg:5: ArrayHeight is "0", want a whole number from 1 to 65536`}},
		{"12", "twelve", []string{`x.cfg:5: ArrayHeight is "twelve", want a whole number from 1 to 65536`}},
		{"ws", "rs", []string{`x.cfg:10: Dataflow is "rs", want os, ws or is`}},
		{": 10", ": 0", []string{`x.cfg:11: Bandwidth is "0", want words a cycle, above 0 and up to 1e+06`}},
		{": 10", ": nan", []string{`x.cfg:11: Bandwidth is "nan", want words a cycle, above 0 and up to 1e+06`}},
		{"36", "-36", []string{`x.cfg:7: IfmapSramSzkB is "-36", want a whole number from 1 to 68719476736`}},
		{"ArrayWidth:     14", "ArrayWidth:     14\nArrayWidth: 15", []string{"x.cfg:7: ArrayWidth occurs twice, first in line 6, want it once"}},
		{"[general]", "[general", []string{`x.cfg:1: section "[general" has no end, want ] behind it`}},
		{"[general]", "hello", []string{`x.cfg:1: "hello" is neither a section nor a key, want KEY : VALUE`}},
		{"mine", "\xff", []string{"x.cfg: the file is not UTF-8, want text such as ArrayHeight: 32"}},
	} {
		_, _, err := scalesim.Parse([]byte(strings.Replace(least, c.from, c.to, 1)), "x.cfg")
		if !errors.Is(err, scalesim.ErrConfig) {
			t.Errorf("%q: error %v, want one that wraps ErrConfig", c.to, err)
			continue
		}
		got := strings.Split(strings.ReplaceAll(err.Error(), "malformed SCALE-Sim configuration: ", ""), "\n")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.to, diff)
		}
	}
}

func TestPeers(t *testing.T) {
	for file, want := range map[string]string{
		"eyeriss.cfg": "eyeriss: 12×14, 1000 MHz, 36 KiB + 36 KiB + 36 KiB SPM, 10 GB/s",
		"google.cfg":  "GoogleTPU_v1_os: 256×256, 1000 MHz, 6 MiB + 6 MiB + 2 MiB SPM, 10 GB/s",
	} {
		path := filepath.Join("..", "..", "..", "shared", "peers", "scalesim", file)
		if _, err := os.Stat(path); err != nil {
			t.Skipf("sample file %s is not here", file)
		}
		n, _, err := scalesim.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if n.String() != want {
			t.Errorf("%s is %s, want %s", file, n, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(least))
	f.Add([]byte(strings.ReplaceAll(least, ":", "=")))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, _, err := scalesim.Parse(data, "fuzz.cfg")
		if err != nil {
			if !errors.Is(err, scalesim.ErrConfig) {
				t.Fatalf("error %v does not wrap ErrConfig", err)
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
