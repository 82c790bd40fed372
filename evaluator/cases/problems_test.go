package cases_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/npu-tune/npu-tune/evaluator/cases"
	"github.com/npu-tune/npu-tune/space"
)

const bareHardware = `{"rows":4,"cols":4,"pipelined":false,"bytes_per_cycle":2,"bytes_in":2,"bytes_out":2,"bytes_acc":4,
	"spm_bytes":64,"energy":{"mac_pj":1,"spm_pj_per_byte":1,"dram_pj_per_byte":1,"static_pj_per_cycle":1}}`

func TestDecodeProblems(t *testing.T) {
	one := `{"layer":{"m":2,"n":3,"k":4},"hardware":` + bareHardware + `,"pass":"backward"}`
	for name, text := range map[string]string{
		"one":                   one,
		"a list":                "[" + one + "]",
		"with what was found":   `[{"layer":{"m":2,"n":3,"k":4},"hardware":` + bareHardware + `,"pass":"backward","min":null,"infeasible":true,"schedule_min_cycles":{}}]`,
		"another order of keys": `{"pass":"backward","hardware":` + bareHardware + `,"layer":{"k":4,"n":3,"m":2}}`,
	} {
		list, err := cases.DecodeProblems(strings.NewReader(text))
		if err != nil || len(list) != 1 {
			t.Errorf("%s: %d problems, error %v, want one", name, len(list), err)
			continue
		}
		if p := &list[0]; p.Layer.M != 2 || p.Layer.N != 3 || p.Layer.K != 4 || p.Pass != space.Backward || p.HW.SPMBytes() != 64 {
			t.Errorf("%s: read %+v", name, p)
		}
	}
	if list, err := cases.DecodeProblems(strings.NewReader("[]")); err != nil || len(list) != 0 {
		t.Errorf("an empty list: %d problems, error %v, want none", len(list), err)
	}
}

func TestDecodeProblemsErrors(t *testing.T) {
	layer := `"layer":{"m":2,"n":3,"k":4}`
	for _, c := range []struct{ text, want string }{
		{``, "problem"},
		{`[null]`, "problems[0]"},
		{`[1]`, "problems[0]"},
		{`[{}`, "problems"},
		{`{"hardware":` + bareHardware + `,"pass":"dw"}`, "layer is missing"},
		{`{` + layer + `,"pass":"dw"}`, "hardware is missing"},
		{`{` + layer + `,"hardware":` + bareHardware + `}`, "pass is missing"},
		{`{` + layer + `,"hardware":` + bareHardware + `,"pass":"backwards"}`, `did you mean "backward"?`},
		{`{` + layer + `,"hardware":` + bareHardware + `,"pass":"dw","schedul_min_cycles":1}`, `did you mean "schedule_min_cycles"?`},
		{`{` + layer + `,` + layer + `,"hardware":` + bareHardware + `,"pass":"dw"}`, "problem.layer stands twice"},
		{`{"layer":{"m":2,"n":3,"k":4,"bach":2},"hardware":` + bareHardware + `,"pass":"dw"}`, `layer.bach is unknown, did you mean "batch"?`},
		{`{"layer":{"m":2,"n":3,"k":4,"conv":{"stride":2}},"hardware":` + bareHardware + `,"pass":"dw"}`, "layer.conv.stride is unknown"},
		{`{"layer":{"m":0,"n":3,"k":4},"hardware":` + bareHardware + `,"pass":"dw"}`, "m is 0, want 1"},
		{`{"layer":{"m":2147483648,"n":2147483648,"k":2147483648},"hardware":` + bareHardware + `,"pass":"dw"}`, "overflow"},
		{`{` + layer + `,"hardware":{"row":4},"pass":"dw"}`, `did you mean "rows"?`},
	} {
		_, err := cases.DecodeProblems(strings.NewReader(c.text))
		if !errors.Is(err, cases.ErrCase) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q of %v", c.text, err, c.want, cases.ErrCase)
		}
	}
}

func FuzzDecodeProblems(f *testing.F) {
	f.Add(`[{"layer":{"m":2,"n":3,"k":4},"hardware":` + bareHardware + `,"pass":"backward"}]`)
	f.Add(`{"layer":{"m":2,"n":3,"k":4,"conv":{"h":1}},"hardware":{},"pass":"dw"}`)
	f.Fuzz(func(t *testing.T, text string) {
		list, err := cases.DecodeProblems(strings.NewReader(text))
		if err != nil && !errors.Is(err, cases.ErrCase) {
			t.Fatalf("%v is no %v", err, cases.ErrCase)
		}
		for i := range list {
			if err := list[i].Check(); err != nil {
				t.Fatalf("problems[%d] cannot be searched: %v", i, err)
			}
		}
	})
}
