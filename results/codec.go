package results

import (
	"encoding/json"
	"fmt"

	"github.com/npu-tune/npu-tune/evaluator/cases"
	"github.com/npu-tune/npu-tune/space"
)

// solutionWire is a Solution as it stands in JSON: the cost has the fields of
// a case (cost model section 8).
type solutionWire struct {
	Schedule       space.Schedule  `json:"schedule"`
	Cost           json.RawMessage `json:"cost"`
	ReductionBytes int64           `json:"reduction_bytes,omitempty"`
	Utilization    float64         `json:"utilization"`
	SPM            []Region        `json:"spm,omitempty"`
	LoopNest       []string        `json:"loop_nest,omitempty"`
}

// MarshalJSON writes the schedule and its cost in the fields of a case.
func (s Solution) MarshalJSON() ([]byte, error) {
	cost, err := cases.EncodeCost(s.Schedule.Pass, &s.Cost)
	if err != nil {
		return nil, err
	}
	return json.Marshal(solutionWire{s.Schedule, cost, s.Cost.ReductionBytes, s.Utilization, s.SPM, s.LoopNest})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Solution) UnmarshalJSON(b []byte) error {
	var w solutionWire
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	v := Solution{Schedule: w.Schedule, Utilization: w.Utilization, SPM: w.SPM, LoopNest: w.LoopNest}
	if err := cases.DecodeCost(w.Cost, &v.Cost); err != nil {
		return err
	}
	v.Cost.ReductionBytes = w.ReductionBytes
	*s = v
	return nil
}

// jobFields has the fields of a Job without its methods.
type jobFields Job

// jobWire is a Job as it stands in JSON.
type jobWire struct {
	Pass string `json:"pass"`
	jobFields
}

// MarshalJSON writes the job with its pass by name.
func (j Job) MarshalJSON() ([]byte, error) {
	w := jobWire{j.Pass.String(), jobFields(j)}
	w.Layer.Name, w.Layer.Count = "", 0 // Layers and Count say more
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (j *Job) UnmarshalJSON(b []byte) error {
	var w jobWire
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	pass, err := parsePass(w.Pass)
	if err != nil {
		return err
	}
	*j = Job(w.jobFields)
	j.Pass = pass
	j.named()
	return nil
}

// named calls the problem's layer by the first of its names.
func (j *Job) named() {
	if len(j.Layers) > 0 {
		j.Layer.Name = j.Layers[0]
	}
	j.Layer.Count = j.Count
}

func parsePass(s string) (space.Pass, error) {
	for p := range space.NumPasses {
		if p.String() == s {
			return p, nil
		}
	}
	return 0, fmt.Errorf("pass is %q, want forward, dw or backward", s)
}
