package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/npu-tune/npu-tune/internal/nearest"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// problemWire is a bare problem as it stands in JSON: a case without schedule.
// The last three say what an independent program found; they are accepted, so
// that lists of golden optima are lists of problems, and not read.
type problemWire struct {
	Layer      json.RawMessage `json:"layer"`
	Hardware   json.RawMessage `json:"hardware"`
	Pass       *string         `json:"pass"`
	Min        json.RawMessage `json:"min"`
	Fastest    json.RawMessage `json:"schedule_min_cycles"`
	Infeasible json.RawMessage `json:"infeasible"`
}

// DecodeProblems reads one bare problem or a list of them: the layer and the
// hardware of a case (cost model section 8) and the pass, forward, dw or
// backward. Keys that are not known, or stand twice, are errors that offer
// the nearest one. Every error wraps ErrCase and names the problem and the
// field.
func DecodeProblems(r io.Reader) ([]space.Problem, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read problems: %w", err)
	}
	if t := bytes.TrimLeft(raw, " \t\r\n"); len(t) == 0 || t[0] != '[' {
		p, err := decodeProblem(raw)
		if err != nil {
			return nil, err
		}
		return []space.Problem{p}, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, wrap("problems", err)
	}
	problems := make([]space.Problem, len(items))
	for i, item := range items {
		if problems[i], err = decodeProblem(item); err != nil {
			return nil, fmt.Errorf("problems[%d]: %w", i, err)
		}
	}
	return problems, nil
}

func decodeProblem(raw []byte) (space.Problem, error) {
	var (
		p space.Problem
		w problemWire
	)
	if err := known("problem", raw, reflect.TypeFor[problemWire]()); err != nil {
		return p, err
	}
	if err := strict("problem", raw, &w); err != nil {
		return p, err
	}
	if err := known("layer", w.Layer, reflect.TypeFor[models.Layer]()); err != nil {
		return p, err
	}
	if err := strict("layer", w.Layer, &p.Layer); err != nil {
		return p, err
	}
	if err := strict("hardware", w.Hardware, &p.HW); err != nil {
		return p, err
	}
	pass, err := passOf(w.Pass)
	if err != nil {
		return p, err
	}
	p.Pass = pass
	if err := p.Check(); err != nil {
		return p, wrap("layer", err)
	}
	return p, nil
}

func passOf(name *string) (space.Pass, error) {
	var names []string
	for pass := range space.NumPasses {
		names = append(names, pass.String())
		if name != nil && *name == pass.String() {
			return pass, nil
		}
	}
	want := strings.Join(names, ", ")
	if name == nil {
		return 0, fmt.Errorf("%w: pass is missing, want one of %s", ErrCase, want)
	}
	return 0, fmt.Errorf("%w: pass is %q, want one of %s%s", ErrCase, *name, want, nearest.Hint(*name, names))
}

// known reports a key of an object, or of an object in it, that the struct it
// is read into does not have, or that stands twice. What is no object is left
// to the decoder.
func known(path string, raw []byte, t reflect.Type) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil
	}
	names, types := keys(t)
	seen := map[string]bool{}
	for dec.More() {
		tok, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			return nil
		}
		key, _ := tok.(string)
		if seen[key] {
			return fmt.Errorf("%w: %s.%s stands twice", ErrCase, path, key)
		}
		seen[key] = true
		inner, ok := types[key]
		if !ok {
			return fmt.Errorf("%w: %s.%s is unknown%s (known: %s)", ErrCase, path, key, nearest.Hint(key, names), strings.Join(names, ", "))
		}
		if inner.Kind() == reflect.Pointer && inner.Elem().Kind() == reflect.Struct {
			if err := known(path+"."+key, value, inner.Elem()); err != nil {
				return err
			}
		}
	}
	return nil
}

// keys returns the JSON names of a struct's fields, in order, and their types.
func keys(t reflect.Type) (names []string, types map[string]reflect.Type) {
	types = map[string]reflect.Type{}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
		types[name] = f.Type
	}
	return names, types
}
