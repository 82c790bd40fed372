package rules

import (
	"bytes"
	_ "embed"
)

//go:embed schema/constraints.schema.json
var schemaJSON []byte

// SchemaJSON returns the JSON Schema (draft 2020-12) of a file of rules.
func SchemaJSON() []byte { return append(bytes.Clone(schemaJSON), '\n') }
