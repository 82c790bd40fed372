package results

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

//go:embed schema/result.schema.json
var schemaJSON []byte

// SchemaJSON returns the JSON Schema (draft 2020-12) of a document.
func SchemaJSON() []byte { return bytes.Clone(schemaJSON) }

// compiled returns the schema, compiled once.
var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	const name = "result.schema.json"
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaJSON))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		return nil, err
	}
	return c.Compile(name)
})

// Validate reports how JSON departs from the schema, naming the first field.
func Validate(data []byte) error {
	schema, err := compiled()
	if err != nil {
		return fmt.Errorf("result schema: %w", err)
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("%w: not JSON: %w", ErrDocument, err)
	}
	err = schema.Validate(instance)
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		return fmt.Errorf("%w: %s", ErrDocument, describe(invalid))
	}
	return err
}

// describe says where the deepest first cause of a violation is, and what it
// is.
func describe(e *jsonschema.ValidationError) string {
	for len(e.Causes) > 0 {
		e = e.Causes[0]
	}
	where := "the document"
	if len(e.InstanceLocation) > 0 {
		where = strings.Join(e.InstanceLocation, ".")
	}
	return where + ": " + e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
}
