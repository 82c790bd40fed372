// Package golden holds figures computed by independent programs, for tests:
// 1000 cost cases (forward, dw alone, backward with 0 to 3 shared loops and
// bursts, convolutions, several cores, batches), the optima of 225 small
// problems, found by enumeration, the traffic of 60 forward GEMMs in Timeloop
// and the array cycles of 24 in SCALE-Sim.
package golden

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"

	"github.com/npu-tune/npu-tune/evaluator/cases"
)

//go:embed testdata/cost-cases.json.gz
var compressed []byte

// Cases decodes the cases, each with its expected cost. The result is the
// caller's own.
func Cases() ([]cases.Case, error) {
	raw, err := decompress(compressed)
	if err != nil {
		return nil, fmt.Errorf("golden cases: %w", err)
	}
	return cases.Decode(bytes.NewReader(raw))
}

func decompress(b []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}
