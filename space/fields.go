package space

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/npu-tune/npu-tune/internal/nearest"
)

// ErrSyntax is wrapped by every error of reading a schedule.
var ErrSyntax = errors.New("malformed schedule")

// reader is one JSON object that is read field by field: a field that nobody
// may ask for, or a repeated one, is an error. Path says where it stands.
type reader struct {
	path   string
	fields map[string]json.RawMessage
}

// newReader reads raw as an object whose fields are among the known ones.
func newReader(path string, raw []byte, known []string) (*reader, error) {
	r := &reader{path: path, fields: map[string]json.RawMessage{}}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, r.errorf("", "is %s, want an object with %s", excerpt(raw), strings.Join(known, ", "))
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, r.errorf("", "%v", err)
		}
		name := t.(string) // a decoder yields nothing else where a key stands
		if !slices.Contains(known, name) {
			return nil, r.errorf(name, "is not known here, want %s", suggest(name, known))
		}
		if _, twice := r.fields[name]; twice {
			return nil, r.errorf(name, "stands twice")
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return nil, r.errorf(name, "%v", err)
		}
		r.fields[name] = v
	}
	return r, nil
}

// errorf names a field of the object, or the object itself.
func (r *reader) errorf(field, format string, args ...any) error {
	where := strings.Trim(r.path+"."+field, ".")
	if where == "" {
		where = "schedule"
	}
	return fmt.Errorf("%w: %s "+format, append([]any{ErrSyntax, where}, args...)...)
}

// object reads a field that is an object; nil if absent.
func (r *reader) object(field string, known []string) (*reader, error) {
	raw, ok := r.fields[field]
	if !ok {
		return nil, nil
	}
	return newReader(strings.Trim(r.path+"."+field, "."), raw, known)
}

// integer reads a whole number within low..high.
func (r *reader) integer(field string, low, high int64) (int64, error) {
	raw, ok := r.fields[field]
	if !ok {
		return 0, r.errorf(field, "is missing, want a whole number from %d", low)
	}
	var v int64
	if err := json.Unmarshal(raw, &v); err != nil || string(raw) == "null" || v < low || v > high {
		return 0, r.errorf(field, "is %s, want a whole number from %d to %d", excerpt(raw), low, high)
	}
	return v, nil
}

// text reads a string that is among the known ones and returns its index.
func (r *reader) text(field string, known []string) (int, error) {
	raw, ok := r.fields[field]
	if !ok {
		return 0, r.errorf(field, "is missing, want %s", list(known))
	}
	var v string
	if err := json.Unmarshal(raw, &v); err != nil {
		return 0, r.errorf(field, "is %s, want %s", excerpt(raw), list(known))
	}
	i := slices.Index(known, v)
	if i < 0 {
		return 0, r.errorf(field, "is %q, want %s", v, suggest(v, known))
	}
	return i, nil
}

// dims reads a list of distinct dimensions.
func (r *reader) dims(field string) ([]Dim, error) {
	raw, ok := r.fields[field]
	if !ok {
		return nil, nil
	}
	var names []string
	if err := json.Unmarshal(raw, &names); err != nil {
		return nil, r.errorf(field, "is %s, want a list of m, n, k", excerpt(raw))
	}
	var dims []Dim
	for i, name := range names {
		d := slices.Index(dimNames, name)
		if d < 0 {
			return nil, r.errorf(fmt.Sprintf("%s[%d]", field, i), "is %q, want m, n or k", name)
		}
		if slices.Contains(dims, Dim(d)) {
			return nil, r.errorf(fmt.Sprintf("%s[%d]", field, i), "is %q again, want each loop once", name)
		}
		dims = append(dims, Dim(d))
	}
	return dims, nil
}

// suggest offers the nearest known name, or all of them.
func suggest(name string, known []string) string {
	if best, ok := nearest.Name(name, known); ok {
		return fmt.Sprintf("%q (known: %s)", best, strings.Join(known, ", "))
	}
	return list(known)
}

func list(known []string) string {
	if len(known) == 1 {
		return known[0]
	}
	last := len(known) - 1
	return strings.Join(known[:last], ", ") + " or " + known[last]
}

// excerpt shows what stands in the place of what was wanted.
func excerpt(raw []byte) string {
	const most = 40
	s := strings.Join(strings.Fields(string(raw)), " ")
	if len(s) > most {
		return s[:most] + "…"
	}
	if s == "" {
		return "empty"
	}
	return s
}
