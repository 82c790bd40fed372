package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/npu-tune/npu-tune/evaluator/cases"
	"github.com/npu-tune/npu-tune/space"
)

// ErrDocument is wrapped by every error about what a result file holds.
var ErrDocument = errors.New("malformed result")

// Read reads a result file. The error names the file and the field.
func Read(path string) (*Document, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// Decode reads a document, strictly: it must follow the schema, and its
// problems and schedules must be possible. Whether the costs are right is for
// an evaluator to say.
func Decode(data []byte) (*Document, error) {
	if err := Validate(data); err != nil {
		return nil, err
	}
	d := new(Document)
	if err := json.Unmarshal(data, d); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDocument, err)
	}
	for i := range d.Jobs {
		if err := d.checkJob(&d.Jobs[i]); err != nil {
			return nil, fmt.Errorf("%w: jobs[%d]: %w", ErrDocument, i, err)
		}
	}
	return d, nil
}

// IsDocument reports whether data looks like a result rather than a case or a
// list of cases: a JSON object that says its schema or has jobs.
func IsDocument(data []byte) bool {
	var fields struct {
		Schema json.RawMessage `json:"schema"`
		Jobs   json.RawMessage `json:"jobs"`
	}
	if t := bytes.TrimSpace(data); len(t) == 0 || t[0] != '{' {
		return false
	}
	return json.Unmarshal(data, &fields) == nil && (fields.Schema != nil || fields.Jobs != nil)
}

// Problem returns what the job's schedules are schedules of.
func (d *Document) Problem(j *Job) *space.Problem {
	return &space.Problem{Layer: j.Layer, HW: d.NPU.Params(), Pass: j.Pass}
}

func (d *Document) checkJob(j *Job) error {
	if err := d.Problem(j).Check(); err != nil {
		return err
	}
	check := func(field string, s *Solution) error {
		if s != nil && s.Schedule.Pass != j.Pass {
			return fmt.Errorf("%s.schedule.pass is %s, want the job's, %s", field, s.Schedule.Pass, j.Pass)
		}
		return nil
	}
	errs := []error{check("best", j.Best)}
	for i := range j.Alternatives {
		errs = append(errs, check(fmt.Sprintf("alternatives[%d]", i), &j.Alternatives[i]))
	}
	for i := range j.Pareto {
		errs = append(errs, check(fmt.Sprintf("pareto[%d]", i), &j.Pareto[i]))
	}
	for i := range j.Baselines {
		errs = append(errs, check(fmt.Sprintf("baselines[%d].solution", i), j.Baselines[i].Solution))
	}
	return errors.Join(errs...)
}

// Cases returns the best schedule of each job as a case that expects the
// document's own cost, and what to call it. Jobs without best are left out.
func (d *Document) Cases() (list []cases.Case, names []string) {
	for i := range d.Jobs {
		j := &d.Jobs[i]
		if j.Best == nil {
			continue
		}
		expect := j.Best.Cost
		expect.ReductionBytes = 0 // a case does not say
		list = append(list, cases.Case{Problem: *d.Problem(j), Schedule: j.Best.Schedule, Expect: &expect})
		names = append(names, j.Name())
	}
	return list, names
}

// Name says which layers the job stands for, and its pass.
func (j *Job) Name() string { return j.layerName() + " " + j.Pass.String() }

// layerName is the first layer's name with the number of occurrences.
func (j *Job) layerName() string {
	if j.Count > 1 {
		return fmt.Sprintf("%s ×%d", j.Layer.Name, j.Count)
	}
	return j.Layer.Name
}
