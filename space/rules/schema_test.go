package rules_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/npu-tune/npu-tune/space/rules"
)

// The example of the documentation is read, and follows the schema; so does
// not what is refused.
func TestDocumentedExample(t *testing.T) {
	doc, err := os.ReadFile("../../docs/constraints.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(doc), "```yaml\n")
	example, _, _ := strings.Cut(after, "```")
	schema := schema(t)
	if _, err := rules.Parse([]byte(example), "example.yaml"); err != nil {
		t.Error(err)
	}
	if err := schema.Validate(instance(t, example)); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"rules: []", "rules: [{order: mnk}]", "rules: [{hold: {w: 4}}]", "rules: [{orders: mmk}]", "rules: [{tile: {m: 0}}]"} {
		if schema.Validate(instance(t, bad)) == nil {
			t.Errorf("the schema admits %s", bad)
		}
	}
}

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(rules.SchemaJSON()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("constraints.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("constraints.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func instance(t *testing.T, text string) any {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
