package results

import (
	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

// SchemaVersion is the version of the exported JSON that this package writes
// and reads.
const SchemaVersion = 1

// Document is the result of a run. It holds no times of day and no durations:
// the same inputs give the same bytes.
type Document struct {
	Schema int    `json:"schema"` // SchemaVersion
	Tool   string `json:"tool"`   // program and version
	Model  Model  `json:"model"`
	// NPU is the hardware as resolved, every figure written out.
	NPU     hardware.NPU `json:"npu"`
	Search  Search       `json:"search"`
	Summary string       `json:"summary"` // what was gained and why, one sentence
	Totals  []Total      `json:"totals"`
	Jobs    []Job        `json:"jobs"`
}

// Model says which network was tuned.
type Model struct {
	Name  string   `json:"name"`
	Batch int64    `json:"batch,omitempty"` // images or sequences
	Image int64    `json:"image,omitempty"` // pixels of one side
	Seq   int64    `json:"seq,omitempty"`   // tokens of one sequence
	Notes []string `json:"notes,omitempty"`
	// Source is the file that it was read from; nil for a network by name.
	Source *Source `json:"source,omitempty"`
}

// Source says which file a model was read from, and how.
type Source struct {
	File   string           `json:"file"`
	Format string           `json:"format"`
	Dims   map[string]int64 `json:"dims,omitempty"` // sizes that the file left open
	// SHA256 is the digest, in hexadecimal digits, of the model as npu-tune
	// writes it in YAML: importing the file again must give the same.
	SHA256 string `json:"model_sha256"`
}

// Search says what was asked.
type Search struct {
	Pass      string `json:"pass"`      // training, forward or backward
	Objective string `json:"objective"` // what was made small
	Strategy  string `json:"strategy"`
	Evaluator string `json:"evaluator"` // name and version
	Seed      uint64 `json:"seed"`
	MaxEvals  int64  `json:"max_evals"` // a job; 0: no bound
	// Constraints is the text of the file of rules that the schedules satisfy.
	Constraints string `json:"constraints,omitempty"`
	Ended       End    `json:"ended"`
}

// End says how a run ended.
type End string

// A run is complete, or its jobs hold the best found until it was stopped.
const (
	Complete    End = "complete"
	OverBudget  End = "budget"
	Interrupted End = "interrupted"
)

// Job is one pass of a layer, and of all layers that pose the same problem.
type Job struct {
	Layers []string     `json:"layers"` // names in the model
	Count  int64        `json:"count"`  // occurrences in the model
	Layer  models.Layer `json:"problem"`
	Pass   space.Pass   `json:"-"`
	// Best is nil if nothing that fits the SPM was found.
	Best  *Solution `json:"best"`
	Found Found     `json:"found"`
	// Reach is how far any schedule could go; nil in results of before there
	// were such bounds.
	Reach *Reach `json:"reach,omitempty"`
	// Why says what binds the best; nil where there is none.
	Why *Why `json:"why,omitempty"`
	// Sensitivity is the optimum on other hardware; empty unless asked for.
	Sensitivity Sensitivity `json:"sensitivity,omitempty"`
	// Alternatives are the next best distinct schedules, best first.
	Alternatives []Solution `json:"alternatives"`
	// Pareto is the front of cycles, DRAM bytes and SPM bytes, by rising
	// cycles; empty unless asked for.
	Pareto       []Solution `json:"pareto,omitempty"`
	ParetoProven bool       `json:"pareto_proven,omitempty"`
	Baselines    []Baseline `json:"baselines"`
}

// Found says how a job's best was found and how good it is.
type Found struct {
	Strategy string `json:"strategy"`
	// Proven says that no schedule of the space has a smaller objective; of a
	// job without best, that none fits.
	Proven bool `json:"proven"`
	// Bound is an objective that no schedule of the space falls below, the
	// greater of the search's and Job.Reach; nil if unknown.
	Bound *float64 `json:"bound"`
	// Gap is by which part of itself the best exceeds the bound, 0 to 1.
	Gap   *float64     `json:"gap"`
	Stats search.Stats `json:"stats"`
}

// Solution is a schedule with what it costs.
type Solution struct {
	Schedule space.Schedule
	Cost     evaluator.Cost
	// Utilization is the useful MACs over those that all PEs of all cores
	// could do in the same cycles, 0 to 1.
	Utilization float64
	SPM         []Region // the SPM map; nil where it was left out
	LoopNest    []string // lines of text; nil where it was left out
}

// Region is one tensor's place in the SPM of a core (or in the shared SPM).
type Region struct {
	Region      string `json:"region"`
	Run         int    `json:"run"`          // gradients that share nothing are two runs, each with the SPM to itself
	Pool        int    `json:"pool"`         // 0 where the SPM is unified
	OffsetBytes int64  `json:"offset_bytes"` // from the beginning of the pool
	Slots       int64  `json:"slots"`
	TileBytes   int64  `json:"tile_bytes"` // of the largest tile
	Copies      int64  `json:"copies"`     // cores whose region lies here: 1 where each core has its own SPM
	Bytes       int64  `json:"bytes"`      // slots × tile_bytes × copies
}

// Baseline is a hand-tuned schedule of the same problem.
type Baseline struct {
	Name string `json:"name"`
	// Solution is nil if there is no such schedule that fits.
	Solution *Solution `json:"solution"`
	Reason   string    `json:"reason,omitempty"` // why there is none
	// Proven says that no member of its family has a smaller objective.
	Proven bool `json:"proven"`
	// Breaks says which of Search.Constraints the solution breaks: baselines
	// are not held to them.
	Breaks string `json:"breaks,omitempty"`
}

// Proven reports whether every job's best is proven.
func (d *Document) Proven() bool {
	for i := range d.Jobs {
		if !d.Jobs[i].Found.Proven {
			return false
		}
	}
	return true
}

// Baseline returns the baseline of a name, nil if the job has none.
func (j *Job) Baseline(name string) *Baseline {
	for i := range j.Baselines {
		if j.Baselines[i].Name == name {
			return &j.Baselines[i]
		}
	}
	return nil
}
