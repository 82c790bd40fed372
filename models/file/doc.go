// Package file reads and writes models as YAML or JSON that people write by
// hand: docs/model-format.md describes it, Schema is its JSON Schema.
package file
