package file_test

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/npu-tune/npu-tune/models/file"
	"github.com/npu-tune/npu-tune/models/zoo"
)

func schema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(file.SchemaJSON()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("model.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("model.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// conforms reports whether JSON follows the schema; ok is false where it is no
// JSON at all.
func conforms(s *jsonschema.Schema, data []byte) (follows error, ok bool) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, false
	}
	return s.Validate(v), true
}

func TestSchemaAdmitsNetworks(t *testing.T) {
	s := schema(t)
	for _, name := range zoo.Names() {
		m, err := zoo.Build(name, zoo.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err, ok := conforms(s, file.JSON(m)); err != nil || !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The schema and the parser refuse the same files, where a schema can tell.
func TestSchemaRefuses(t *testing.T) {
	s := schema(t)
	for _, data := range []string{
		`{}`, `{"layers": []}`, `{"layers": [{}]}`, `{"layers": [{"m": 1, "n": 1}]}`, `{"layers": [{"m": 0, "n": 1, "k": 1}]}`,
		`{"layers": [{"m": 1, "n": 1, "k": 1, "x": 1}]}`, `{"layers": [{"m": 1, "n": 1, "k": 1, "kernel": 1}]}`,
		`{"layers": [{"channels": 1, "height": 1, "width": 1, "filters": 1}]}`,
		`{"layers": [{"channels": 1, "height": 1, "width": 1, "filters": 1, "kernel": 1, "batch": 2}]}`,
		`{"layers": [{"channels": 1, "height": 1, "width": 1, "filters": 1, "kernel": [1]}]}`,
		`{"layers": [{"channels": 1, "height": 1, "width": 1, "filters": 1, "kernel": 1, "padding": -1}]}`,
		`{"layers": [{"m": 1, "n": 1, "k": 1, "conv": {"h": 1}}]}`,
	} {
		if err, ok := conforms(s, []byte(data)); !ok || err == nil {
			t.Errorf("%s follows the schema", data)
		}
		if _, err := file.Parse([]byte(data), "x.json"); err == nil {
			t.Errorf("%s is read", data)
		}
	}
}
