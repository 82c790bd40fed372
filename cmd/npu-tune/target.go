package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/npu-tune/npu-tune/evaluator/cases"
	"github.com/npu-tune/npu-tune/internal/nearest"
	"github.com/npu-tune/npu-tune/results"
	"github.com/npu-tune/npu-tune/space"
)

// target is one schedule of a file, with what it is called by.
type target struct {
	layer    string
	pass     string
	schedule string // among those of its layer and pass
	problem  *space.Problem
	// s is nil where the layer's pass has no schedule.
	s *space.Schedule
}

func (t *target) name() string {
	if t.schedule == "" {
		return t.layer + " " + t.pass
	}
	return t.layer + " " + t.pass + ", " + t.schedule
}

// readTargets reads the schedules of a result, of a case or of a list of
// cases.
func readTargets(path string, stdin io.Reader) ([]target, error) {
	data, err := readAll(path, stdin)
	if err != nil {
		return nil, usage(err)
	}
	return decodeTargets(path, data)
}

// decodeTargets reads what a file holds; path names it in errors.
func decodeTargets(path string, data []byte) ([]target, error) {
	if !results.IsDocument(data) {
		list, err := cases.Decode(bytes.NewReader(data))
		if err != nil {
			return nil, usagef("%s: %w", path, err)
		}
		return caseTargets(list), nil
	}
	d, err := results.Decode(data)
	if err != nil {
		return nil, usagef("%s: %w", path, err)
	}
	var list []target
	for i := range d.Jobs {
		list = append(list, jobTargets(d, &d.Jobs[i])...)
	}
	return list, nil
}

// jobTargets lists the job's schedules under each of its layers' names.
func jobTargets(d *results.Document, j *results.Job) []target {
	p := d.Problem(j)
	solutions := j.Solutions()
	var list []target
	for _, layer := range j.Layers {
		if len(solutions) == 0 {
			list = append(list, target{layer: layer, pass: j.Pass.String(), problem: p})
		}
		for _, s := range solutions {
			list = append(list, target{layer, j.Pass.String(), s.Name, p, &s.Solution.Schedule})
		}
	}
	return list
}

func caseTargets(list []cases.Case) []target {
	var targets []target
	for i := range list {
		c := &list[i]
		targets = append(targets, target{caseName(i), c.Schedule.Pass.String(), "", &c.Problem, &c.Schedule})
	}
	return targets
}

func caseName(i int) string { return fmt.Sprintf("cases[%d]", i) }

// choose returns the schedule of a layer, pass and name. Empty ones mean the
// only layer, the last pass (backward, or dW's), and the first schedule (the best).
func choose(list []target, layer, pass, schedule string) (*target, error) {
	list, err := chooseLayer(list, layer)
	if err != nil {
		return nil, err
	}
	passes := names(list, func(t *target) string { return t.pass })
	if pass == "" {
		pass = passes[len(passes)-1]
	}
	list = filter(list, func(t *target) bool { return t.pass == pass })
	if len(list) == 0 {
		return nil, usagef("--pass: %w", unknown("pass", pass, passes))
	}
	if list[0].s == nil {
		return nil, usagef("%s has no schedule that fits the SPM", list[0].name())
	}
	schedules := names(list, func(t *target) string { return t.schedule })
	if schedule == "" {
		schedule = schedules[0]
	}
	list = filter(list, func(t *target) bool { return t.schedule == schedule })
	if len(list) == 0 {
		return nil, usagef("--schedule: %w", unknown("schedule", schedule, schedules))
	}
	return &list[0], nil
}

func chooseLayer(list []target, layer string) ([]target, error) {
	layers := names(list, func(t *target) string { return t.layer })
	switch {
	case len(layers) == 0:
		return nil, usagef("it has no schedules")
	case layer == "" && len(layers) > 1:
		return nil, usagef("--layer: which one? it has %s", some(layers))
	case layer == "":
		layer = layers[0]
	}
	found := filter(list, func(t *target) bool { return t.layer == layer })
	if len(found) > 0 {
		return found, nil
	}
	if hint := nearest.Hint(layer, layers); hint != "" {
		return nil, usagef("--layer: unknown layer %q%s", layer, hint)
	}
	return nil, usagef("--layer: unknown layer %q, it has %s", layer, some(layers))
}

// names lists what distinct targets are called, in order.
func names(list []target, of func(*target) string) []string {
	var names []string
	for i := range list {
		if n := of(&list[i]); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

func filter(list []target, keep func(*target) bool) []target {
	var kept []target
	for i := range list {
		if keep(&list[i]) {
			kept = append(kept, list[i])
		}
	}
	return kept
}

// some lists the first few names.
func some(names []string) string {
	const few = 8
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}
