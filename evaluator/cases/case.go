package cases

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// ErrCase is wrapped by every error of reading a case.
var ErrCase = errors.New("malformed case")

// Case is one schedule of one problem and, if known, its cost.
type Case struct {
	Problem  space.Problem
	Schedule space.Schedule
	// Expect is what the schedule costs, nil if the case does not say.
	// ReductionBytes is not part of a case and stays 0.
	Expect *evaluator.Cost
}

// wire is a case as it stands in JSON.
type wire struct {
	Layer    json.RawMessage `json:"layer"`
	Hardware json.RawMessage `json:"hardware"`
	Schedule json.RawMessage `json:"schedule"`
	Expect   json.RawMessage `json:"expect,omitempty"`
}

// Decode reads one case or a list of cases. A schedule is well formed and of
// a valid layer, but need not be legal: space.Problem.Legal says that.
func Decode(r io.Reader) ([]Case, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read cases: %w", err)
	}
	if t := bytes.TrimLeft(raw, " \t\r\n"); len(t) == 0 || t[0] != '[' {
		var c Case
		if err := json.Unmarshal(raw, &c); err != nil {
			return nil, wrap("case", err)
		}
		return []Case{c}, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, wrap("cases", err)
	}
	cases := make([]Case, len(items))
	for i, item := range items {
		if err := cases[i].UnmarshalJSON(item); err != nil {
			return nil, fmt.Errorf("cases[%d]: %w", i, err)
		}
	}
	return cases, nil
}

// UnmarshalJSON reads one case, strictly.
func (c *Case) UnmarshalJSON(b []byte) error {
	var w wire
	if err := strict("case", b, &w); err != nil {
		return err
	}
	var v Case
	if err := strict("layer", w.Layer, &v.Problem.Layer); err != nil {
		return err
	}
	if err := strict("hardware", w.Hardware, &v.Problem.HW); err != nil {
		return err
	}
	if err := strict("schedule", w.Schedule, &v.Schedule); err != nil {
		return err
	}
	v.Problem.Pass = v.Schedule.Pass
	if err := v.Problem.Check(); err != nil {
		return wrap("layer", err)
	}
	if len(w.Expect) > 0 {
		v.Expect = new(evaluator.Cost)
		if err := DecodeCost(w.Expect, v.Expect); err != nil {
			return err
		}
	}
	*c = v
	return nil
}

// MarshalJSON writes what UnmarshalJSON reads.
func (c Case) MarshalJSON() ([]byte, error) {
	var w wire
	var err error
	if w.Layer, err = json.Marshal(layer(c.Problem.Layer)); err != nil {
		return nil, err
	}
	if w.Hardware, err = json.Marshal(&c.Problem.HW); err != nil {
		return nil, err
	}
	if w.Schedule, err = json.Marshal(c.Schedule); err != nil {
		return nil, err
	}
	if c.Expect != nil {
		if w.Expect, err = EncodeCost(c.Schedule.Pass, c.Expect); err != nil {
			return nil, err
		}
	}
	return json.Marshal(w)
}

// layer leaves out what does not matter to one pass.
func layer(l models.Layer) models.Layer {
	l.Count, l.NoInputGrad, l.Activations = 0, false, false
	return l
}

// strict decodes the object of a field, with no fields that are not known.
func strict(field string, raw []byte, v any) error {
	if len(raw) == 0 {
		return fmt.Errorf("%w: %s is missing", ErrCase, field)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return wrap(field, err)
	}
	if string(bytes.TrimSpace(raw)) == "null" {
		return fmt.Errorf("%w: %s is null, want an object", ErrCase, field)
	}
	return nil
}

// wrap adds the sentinel and the field once.
func wrap(field string, err error) error {
	if errors.Is(err, ErrCase) {
		return err
	}
	return fmt.Errorf("%w: %s: %w", ErrCase, field, err)
}
