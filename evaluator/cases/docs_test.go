package cases_test

import (
	"os"
	"strings"
	"testing"

	"github.com/npu-tune/npu-tune/evaluator/cases"
	"github.com/npu-tune/npu-tune/space"
)

// The example of the cost model's page is a legal case with one dY.
func TestDocumentedCase(t *testing.T) {
	page, err := os.ReadFile("../../docs/cost-model.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), `    {"layer": `)
	example, _, found := strings.Cut(example, "\n     \"expect\"")
	if !found {
		t.Fatal("no example in docs/cost-model.md")
	}
	example = `{"layer": ` + strings.TrimSuffix(example, ",") + "}"
	got, err := cases.Decode(strings.NewReader(example))
	if err != nil {
		t.Fatalf("%v\n%s", err, example)
	}
	p, s := &got[0].Problem, &got[0].Schedule
	if err := p.Legal(s); err != nil {
		t.Error(err)
	}
	if f := p.Footprint(s); f.Slots()[space.DYRegion] == 0 {
		t.Errorf("dY is not one region: %v", f.Slots())
	}
}
