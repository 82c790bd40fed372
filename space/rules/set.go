package rules

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/npu-tune/npu-tune/internal/nearest"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// ErrRules is wrapped by every error about what a file of rules says.
var ErrRules = errors.New("invalid rules")

// ErrClash is wrapped where rules leave no schedule.
var ErrClash = errors.New("no schedule satisfies the rules")

// Set is the rules of a file.
type Set struct {
	file  string
	text  string
	rules []rule
}

// rule is an entry of a file: requirements of the layers and passes that it
// names.
type rule struct {
	field    string
	line     int
	layers   []string // patterns; none: all
	passes   []space.Pass
	requires []Requirement
}

// File returns the name of the file, for messages.
func (s *Set) File() string { return s.file }

// Text returns the file as it was read.
func (s *Set) Text() string { return s.text }

// For returns the requirements of one pass of a layer, in the order of the
// file.
func (s *Set) For(layer string, pass space.Pass) []Requirement {
	var list []Requirement
	for i := range s.rules {
		if r := &s.rules[i]; r.names(layer) && slices.Contains(r.passes, pass) {
			list = append(list, r.requires...)
		}
	}
	return list
}

// names reports whether one of the rule's patterns is that of a layer.
func (r *rule) names(layer string) bool {
	if len(r.layers) == 0 {
		return true
	}
	return slices.ContainsFunc(r.layers, func(p string) bool { return matches(p, layer) })
}

// matches reports whether a pattern (* any characters, ? one, [ab] one of
// them) is that of a name. Unlike those of paths, * crosses slashes.
func matches(pattern, name string) bool {
	const slash = "\x00"
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", slash), strings.ReplaceAll(name, "/", slash))
	return err == nil && ok || pattern == name
}

// CheckLayers reports rules that name a layer which the model does not have.
func (s *Set) CheckLayers(list []models.Layer) error {
	var names []string
	for _, l := range list {
		names = append(names, l.Name)
	}
	var errs []error
	for i := range s.rules {
		r := &s.rules[i]
		for _, p := range r.layers {
			if !slices.ContainsFunc(names, func(n string) bool { return matches(p, n) }) {
				errs = append(errs, fmt.Errorf("%s:%d: %w: %s.layers has %q, which no layer is called%s",
					s.file, r.line, ErrRules, r.field, p, nearest.Hint(p, names)))
			}
		}
	}
	return errors.Join(errs...)
}

// Describe joins requirements for a message.
func Describe(list []Requirement) string {
	if len(list) == 0 {
		return "not even without rules"
	}
	var parts []string
	for _, r := range list {
		parts = append(parts, r.String())
	}
	last := len(parts) - 1
	if last == 0 {
		return parts[0] + " excludes every schedule"
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last] + " exclude each other"
}
