package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"strings"
	"testing"
)

// rows runs the command and returns what it prints as CSV, without the header.
func rows(t *testing.T, args ...string) [][]string {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), append(args, "-format", "csv"), &out, io.Discard); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	list, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(list) < 2 {
		t.Fatalf("%v: %d lines, error %v", args, len(list), err)
	}
	return list[1:]
}

func TestProof(t *testing.T) {
	list := rows(t, "-parts", "proof", "-models", "ncf", "-npus", "small,large", "-limit", "20s")
	if len(list) != 2 {
		t.Fatalf("%d rows, want one for each NPU", len(list))
	}
	for i, npu := range []string{"small", "large"} {
		if r := list[i]; r[0] != "ncf" || r[1] != npu || r[2] != "8" || r[3] != "8" {
			t.Errorf("row %v, want ncf on %s with 8 of 8 passes proven", r, npu)
		}
	}
}

func TestDimension(t *testing.T) {
	for _, r := range rows(t, "-parts", "dimension", "-most", "1000", "-limit", "20s") {
		if r[0] != "1000×1000×1000" || r[1] != "2" || r[2] != "2" {
			t.Errorf("row %v, want 2 of 2 passes of 1000×1000×1000 proven", r)
		}
	}
}

func TestBadArguments(t *testing.T) {
	for want, args := range map[string][]string{
		`unknown part "sped"`:      {"-parts", "sped"},
		`unknown model "resnet"`:   {"-models", "resnet"},
		`unknown NPU "tiny"`:       {"-npus", "tiny"},
		`unexpected argument "x"`:  {"x"},
		"unknown format":           {"-format", "xml"},
		"flag provided but not":    {"-seed", "1"},
		`invalid value "0.5" for `: {"-seeds", "0.5"},
	} {
		err := run(context.Background(), args, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", args, err, want)
		}
	}
}
