package onnx

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/npu-tune/npu-tune/models"
)

// symbols gives values to symbolic dimensions.
type symbols struct {
	*causes
	given map[string]int64 // by Options.Dims
	batch map[string]int64 // by Options.Batch
	seen  map[string]bool  // names that the file has
	used  map[string]int64
}

func newSymbols(o Options) (*symbols, error) {
	for _, name := range slices.Sorted(maps.Keys(o.Dims)) {
		if v := o.Dims[name]; v < 0 || v > models.MaxDim {
			return nil, fmt.Errorf("%w: dim %q is %d, want 0 to %d", ErrOption, name, v, models.MaxDim)
		}
	}
	if o.Batch < 0 || o.Batch > models.MaxDim {
		return nil, fmt.Errorf("%w: batch is %d, want 1 to %d, or 0 to keep the file's", ErrOption, o.Batch, models.MaxDim)
	}
	return &symbols{
		causes: &causes{}, given: o.Dims,
		batch: map[string]int64{}, seen: map[string]bool{}, used: map[string]int64{},
	}, nil
}

// lookup returns the value that a name was given.
func (s *symbols) lookup(name string) (int64, bool) {
	s.seen[name] = true
	v, ok := s.given[name]
	if !ok {
		v, ok = s.batch[name]
	}
	if ok {
		s.used[name] = v
	}
	return v, ok
}

// exact returns the value of a name that is no expression.
func (s *symbols) exact(name string) number {
	if v, ok := s.lookup(name); ok {
		return whole(v)
	}
	return named(s.causes.dim(name))
}

// dim returns the value of a dimension's name, which may be a sum, difference,
// product or quotient of names.
func (s *symbols) dim(name string) number {
	if v, ok := s.lookup(name); ok {
		return whole(v)
	}
	if !strings.ContainsAny(name, "+-*/(") {
		return named(s.causes.dim(name))
	}
	e := expression{symbols: s, rest: name}
	v, ok := e.sum(0)
	if !ok || strings.TrimSpace(e.rest) != "" {
		return named(s.causes.dim(name))
	}
	if v.known() && (v.n < 0 || v.n > models.MaxDim) {
		return named(s.causes.dim(name))
	}
	return v
}

// of returns the extent of a dimension; fallback is the cause if the file says
// nothing of it.
func (s *symbols) of(d dimension, fallback cause) number {
	switch {
	case d.stated:
		return whole(d.extent)
	case d.name != "":
		return s.dim(d.name)
	}
	return unknown(fallback)
}

// unused reports the names that were given but that the file does not have.
func (s *symbols) unused() error {
	var unused []string
	for name := range s.given {
		if !s.seen[name] {
			unused = append(unused, name)
		}
	}
	if len(unused) == 0 {
		return nil
	}
	slices.Sort(unused)
	have := slices.Sorted(maps.Keys(s.seen))
	if len(have) == 0 {
		return fmt.Errorf("%w: dim %q: the file has no symbolic dimensions", ErrOption, unused[0])
	}
	return fmt.Errorf("%w: dim %q: the file has none of that name, but %s", ErrOption, unused[0], quoted(have))
}

// quoted lists names, at most twelve.
func quoted(names []string) string {
	const most = 12
	var b strings.Builder
	for i, n := range names {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(names)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", n)
	}
	return b.String()
}

// expression evaluates what exporters write in place of a name.
type expression struct {
	*symbols
	rest string
}

const maxParentheses = 20

func (e *expression) next(operators string) (byte, bool) {
	e.rest = strings.TrimLeft(e.rest, " ")
	if e.rest == "" || !strings.Contains(operators, e.rest[:1]) {
		return 0, false
	}
	c := e.rest[0]
	e.rest = e.rest[1:]
	return c, true
}

func (e *expression) sum(depth int) (number, bool) {
	a, ok := e.term(depth)
	for ok {
		op, more := e.next("+-")
		if !more {
			return a, true
		}
		var b number
		if b, ok = e.term(depth); !ok {
			break
		}
		a = e.combine(a, b, func(x, y int64) int64 {
			if op == '-' {
				return x - y
			}
			return x + y
		})
	}
	return a, false
}

func (e *expression) term(depth int) (number, bool) {
	a, ok := e.atom(depth)
	for ok {
		op, more := e.next("*/")
		if !more {
			return a, true
		}
		if op == '/' {
			e.next("/") // both spellings of a quotient
		}
		var b number
		if b, ok = e.atom(depth); !ok || op == '/' && b.is(0) {
			break
		}
		a = e.combine(a, b, func(x, y int64) int64 {
			if op == '/' {
				return x / y
			}
			return x * y
		})
	}
	return a, false
}

func (e *expression) atom(depth int) (number, bool) {
	if _, ok := e.next("("); ok {
		if depth == maxParentheses {
			return number{}, false
		}
		v, ok := e.sum(depth + 1)
		if !ok {
			return number{}, false
		}
		_, ok = e.next(")")
		return v, ok
	}
	end := strings.IndexAny(e.rest, "+-*/() ")
	if end < 0 {
		end = len(e.rest)
	}
	name := e.rest[:end]
	e.rest = e.rest[end:]
	if name == "" {
		return number{}, false
	}
	if n, err := strconv.ParseInt(name, 10, 64); err == nil {
		return whole(n), true
	}
	if v, ok := e.lookup(name); ok {
		return whole(v), true
	}
	return named(e.causes.dim(name)), true
}
