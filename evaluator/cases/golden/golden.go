// Package golden holds 1000 cost cases computed by an independent program:
// forward, dw alone, backward with 0 to 3 shared loops and bursts,
// convolutions, several cores, batches. Tests of evaluators read them.
package golden

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"

	"github.com/npu-tune/npu-tune/evaluator/cases"
)

//go:embed testdata/cost-cases.json.gz
var compressed []byte

// Cases decodes the cases, each with its expected cost. The result is the
// caller's own.
func Cases() ([]cases.Case, error) {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, fmt.Errorf("golden cases: %w", err)
	}
	defer r.Close()
	return cases.Decode(r)
}
