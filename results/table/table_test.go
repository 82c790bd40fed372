package table

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sample() *Table {
	t := &Table{Title: "Layers", Columns: []Column{
		{Title: "layer", Key: "layer"},
		{Title: "cycles", Key: "cycles"},
		{Title: "DRAM MB", Key: "dram_bytes", Scale: 1e6, Digits: 2},
		{Title: "proven", Key: "proven"},
		{Key: "raw", Hidden: true},
	}}
	t.Add("conv1", int64(1234567), int64(2_500_000), true, 0.5)
	t.Add("fc, last", 99.0, nil, false, 1e21)
	return t
}

func TestWrite(t *testing.T) {
	for _, c := range []struct {
		format Format
		want   string
	}{
		{Text, `
Layers
┌──────────┬───────────┬─────────┬────────┐
│ layer    │    cycles │ DRAM MB │ proven │
├──────────┼───────────┼─────────┼────────┤
│ conv1    │ 1,234,567 │    2.50 │ yes    │
│ fc, last │        99 │       – │ no     │
└──────────┴───────────┴─────────┴────────┘
`},
		{Markdown, `
**Layers**

| layer    |    cycles | DRAM MB | proven |
|:---------|----------:|--------:|:-------|
| conv1    | 1,234,567 |    2.50 | yes    |
| fc, last |        99 |       – | no     |
`},
		{CSV, `
layer,cycles,dram_bytes,proven,raw
conv1,1234567,2500000,true,0.5
"fc, last",99,,false,1e+21
`},
		{JSON, `
[
  {"layer": "conv1", "cycles": 1234567, "dram_bytes": 2500000, "proven": true, "raw": 0.5},
  {"layer": "fc, last", "cycles": 99, "dram_bytes": null, "proven": false, "raw": 1e+21}
]
`},
	} {
		t.Run(c.format.String(), func(t *testing.T) {
			var b strings.Builder
			if err := sample().Write(&b, c.format); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), b.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestEmptyJSONIsAList(t *testing.T) {
	var b strings.Builder
	if err := (&Table{Columns: []Column{{Key: "a"}}}).Write(&b, JSON); err != nil {
		t.Fatal(err)
	}
	var list []any
	if err := json.Unmarshal([]byte(b.String()), &list); err != nil || list == nil || len(list) != 0 {
		t.Errorf("got %q, want an empty list", b.String())
	}
}

func TestGroup(t *testing.T) {
	for in, want := range map[string]string{
		"0": "0", "999": "999", "1000": "1,000", "-1234567.891": "-1,234,567.891", "-12": "-12",
	} {
		if got := group(in); got != want {
			t.Errorf("group(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestParseFormat(t *testing.T) {
	for _, name := range FormatNames() {
		f, err := ParseFormat(name)
		if err != nil || f.String() != name {
			t.Errorf("ParseFormat(%q) = %v, %v", name, f, err)
		}
	}
	if _, err := ParseFormat("xml"); err == nil {
		t.Error("xml parsed")
	}
}
