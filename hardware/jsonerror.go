package hardware

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
)

// json reports what encoding/json found, in the words of the file rather than
// Go's. root names the whole value.
func (v *violations) json(root string, err error) {
	var e *json.UnmarshalTypeError
	if !errors.As(err, &e) {
		v.add(root, "cannot be read: %w", err)
		return
	}
	field := e.Field
	if field == "" {
		field = root
	}
	v.add(field, "is %s, want %s", valueName(e.Value), typeName(e.Type))
}

// valueName says what kind of value a file has; "number 8.5" is 8.5.
func valueName(kind string) string {
	switch kind {
	case "string":
		return "a text"
	case "number":
		return "a number"
	case "bool":
		return "true or false"
	case "array":
		return "a list"
	case "object":
		return "a mapping"
	}
	return strings.TrimPrefix(kind, "number ")
}

// typeName says what a file must have where Go wants a t.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.Int64:
		return "a whole number of 64 bits"
	case reflect.Float64:
		return "a number"
	case reflect.String:
		return "a text"
	case reflect.Slice:
		return "a list"
	}
	return "a mapping"
}
