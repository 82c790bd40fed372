package file

import (
	"bytes"
	_ "embed"
)

//go:embed schema/model.schema.json
var schemaJSON []byte

// SchemaJSON returns the JSON Schema (draft 2020-12) of a model file.
func SchemaJSON() []byte { return bytes.Clone(schemaJSON) }
