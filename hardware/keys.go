package hardware

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/npu-tune/npu-tune/internal/nearest"
)

// within returns the path of a field of what path names; "" is the whole file.
func within(path, field string) string { return strings.TrimPrefix(path+"."+field, ".") }

// index returns "field[i]".
func index(field string, i int) string { return fmt.Sprintf("%s[%d]", field, i) }

// fields returns the fields of a struct by their names in files, and the names
// in order.
func fields(t reflect.Type, tag string) (byName map[string]reflect.Type, names []string) {
	byName = map[string]reflect.Type{}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get(tag), ",")
		if name != "" && name != "-" {
			byName[name] = f.Type
			names = append(names, name)
		}
	}
	return byName, names
}

// jsonKeys reports keys of a JSON value that the type it is to be read into
// does not have, and keys that occur twice: encoding/json takes the last of
// two and any case of a name. path names the value in messages.
func (v *violations) jsonKeys(data []byte, t reflect.Type, path string) {
	switch t.Kind() {
	case reflect.Pointer:
		v.jsonKeys(data, t.Elem(), path)
	case reflect.Slice:
		var elements []json.RawMessage
		if json.Unmarshal(data, &elements) == nil {
			for i, e := range elements {
				v.jsonKeys(e, t.Elem(), index(path, i))
			}
		}
	case reflect.Struct:
		v.jsonFields(data, t, path)
	}
}

// jsonFields is jsonKeys of a struct. What is no object is left for
// encoding/json to report.
func (v *violations) jsonFields(data []byte, t reflect.Type, path string) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return
	}
	known, names := fields(t, "json")
	seen := map[string]bool{}
	for dec.More() {
		tok, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			return
		}
		key, _ := tok.(string)
		field := within(path, key)
		if seen[key] {
			v.add(field, "occurs twice, want it once")
		}
		seen[key] = true
		if _, ok := known[key]; !ok {
			v.unknown(path, key, names)
			continue
		}
		v.jsonKeys(value, known[key], field)
	}
}

// unknown reports a key that the mapping at path does not have.
func (v *violations) unknown(path, key string, names []string) {
	meant, ok := nearest.Name(key, names)
	if !ok {
		v.add(within(path, key), "is unknown, want one of %s", strings.Join(names, ", "))
		return
	}
	v.add(within(path, key), "is unknown, did you mean %q?", meant)
	(*v)[len(*v)-1].meant = within(path, meant)
}
