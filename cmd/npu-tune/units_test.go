package main

import (
	"errors"
	"testing"

	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/tuner"
)

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"one":                "one",
		"one\ntwo":           "one; two",
		" one \n\n two\n":    "one; two",
		"1\n2\n3\n4":         "1; 2; 3; 4",
		"1\n2\n3\n4\n5\n6\n": "1; 2; 3; 4; and 2 more",
	} {
		if got := oneLine(errors.New(in)); got != want {
			t.Errorf("oneLine(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestList(t *testing.T) {
	for want, names := range map[string][]string{
		"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"},
	} {
		if got := list(names); got != want {
			t.Errorf("list(%q) = %q, want %q", names, got, want)
		}
	}
}

func TestShort(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 12: "12", 1234: "1.23 k", 21_351_549: "21.4 M", 3e9: "3 G", 4.5e12: "4.5 T",
	} {
		if got := short(v); got != want {
			t.Errorf("short(%v) = %q, want %q", v, got, want)
		}
	}
}

// TestProgressElsewhere: where there is no terminal nothing is drawn.
func TestProgressElsewhere(t *testing.T) {
	p := newProgress(t.Output(), search.Latency, 1)
	p.update(tuner.Progress{Jobs: 2, State: tuner.Started})
	p.update(tuner.Progress{Jobs: 2, Done: 1, State: tuner.Ended})
	p.stop()
	if p.bars != nil {
		t.Error("bars without a terminal")
	}
}

// TestSettingsParseTheirInitialValues: the help must not promise what does not
// parse.
func TestSettingsParseTheirInitialValues(t *testing.T) {
	for _, s := range settings() {
		if s.initial == "" {
			continue
		}
		if err := s.parse(new(options), s.initial); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
}
