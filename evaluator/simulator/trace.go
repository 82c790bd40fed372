package simulator

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/space"
)

// TraceOptions adjust WriteTrace; the zero value is ready.
type TraceOptions struct {
	// MaxEvents bounds the events written, about 100 bytes each; 0 means
	// 200000. A trace that reaches it ends early and says so.
	MaxEvents int
}

// TraceReport says what a trace shows.
type TraceReport struct {
	Cost      evaluator.Cost
	Events    int
	Stages    int64   // that the trace shows
	Truncated bool    // the event limit was reached
	Until     float64 // cycle of one batch at which the trace ends
}

// WriteTrace runs the schedule as Run does and writes a timeline of one batch
// in the Chrome trace event format, which Perfetto opens: lanes for the array,
// DMA in, DMA out and stalls, a counter of SPM bytes in use. One cycle is one
// microsecond of the trace. otherData holds the cost and, if events were left
// out, where the trace ends.
//
// Errors are those of Run, or w's.
func (s *Simulator) WriteTrace(ctx context.Context, w io.Writer, p *space.Problem, sched *space.Schedule, o TraceOptions) (TraceReport, error) {
	if err := s.accept(p, sched); err != nil {
		return TraceReport{}, err
	}
	if o.MaxEvents == 0 {
		o.MaxEvents = 200_000
	}
	m := &machine{}
	t := &tracer{out: bufio.NewWriter(w), machine: m, left: o.MaxEvents}
	t.header()
	c, _, err := cost(ctx, p, sched, m, t)
	if err != nil {
		return TraceReport{Cost: c}, err
	}
	t.footer(p, &c)
	if t.err == nil {
		t.err = t.out.Flush()
	}
	r := TraceReport{Cost: c, Events: t.count, Stages: t.stages, Truncated: t.full, Until: t.until}
	if t.err != nil {
		return r, fmt.Errorf("write trace: %w", t.err)
	}
	return r, nil
}

// lane is a thread of the trace.
type lane int

const (
	arrayLane lane = iota + 1
	inLane
	outLane
	stallLane
)

var laneNames = map[lane]string{arrayLane: "array", inLane: "DMA in", outLane: "DMA out", stallLane: "stalls"}

// event is one entry of the trace event format.
type event struct {
	Name     string         `json:"name"`
	Phase    string         `json:"ph"`
	Start    float64        `json:"ts"`
	Duration *float64       `json:"dur,omitempty"`
	Process  int            `json:"pid"`
	Lane     lane           `json:"tid"`
	Scope    string         `json:"s,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// tracer writes events as stages pass.
type tracer struct {
	out     *bufio.Writer
	err     error
	machine *machine
	run     *run
	left    int // events that may still be written
	count   int
	full    bool    // events are left out
	until   float64 // cycle at which the trace ends
	stages  int64   // that were written
	bytes   int64   // SPM occupancy last written
}

func (t *tracer) header() {
	t.text(`{"displayTimeUnit":"ms","traceEvents":[`)
	t.write(event{Name: "process_name", Phase: "M", Process: 1, Args: map[string]any{"name": "NPU core"}})
	for l := arrayLane; l <= stallLane; l++ {
		t.write(event{Name: "thread_name", Phase: "M", Process: 1, Lane: l, Args: map[string]any{"name": laneNames[l]}})
		t.write(event{Name: "thread_sort_index", Phase: "M", Process: 1, Lane: l, Args: map[string]any{"sort_index": int(l)}})
	}
	t.bytes = -1
}

func (t *tracer) begin(r *run, _ *visits, _ []area) error {
	t.run = r
	return t.err
}

// eventsPerStage is the most that one stage writes.
const eventsPerStage = 5

func (t *tracer) stage(st *stage) error {
	if !t.room(st) {
		return t.err
	}
	if st.operates {
		t.operation(st)
	}
	t.dma(st, t.moved(st, true), t.moved(st, false))
	if wait := st.cycles - float64(st.compute); wait > 0 {
		t.span(stallLane, st.cause().String(), st.start+float64(st.compute), wait, nil)
	}
	if n := t.machine.spm.occupied; n != t.bytes {
		t.bytes = n
		t.write(event{Name: "SPM bytes in use", Phase: "C", Start: st.start, Process: 1, Args: map[string]any{"bytes": n}})
	}
	return t.err
}

// room reports whether the stage may be written, and marks the end of the
// trace where it may not.
func (t *tracer) room(st *stage) bool {
	if t.full {
		return false
	}
	if t.left < eventsPerStage {
		t.full = true
		t.write(event{Name: "trace truncated here", Phase: "i", Start: st.start, Process: 1, Lane: arrayLane, Scope: "g"})
		return false
	}
	t.stages++
	t.until = st.start + st.cycles
	return true
}

func (t *tracer) operation(st *stage) {
	g := &t.run.gemms[st.step.gemm]
	at, e := st.step.index, g.at(st.step.index)
	t.span(arrayLane, fmt.Sprintf("%v (%d, %d, %d)", g.op, at[0], at[1], at[2]), st.start, float64(st.compute), map[string]any{
		"stage": st.number, "m": e[space.M], "n": e[space.N], "k": e[space.K], "dataflow": g.dataflow.String(),
	})
}

// moved names the tensors that a stage moves in one direction.
func (t *tracer) moved(st *stage, out bool) string {
	name := ""
	for _, m := range st.moves {
		if m.out != out || m.bytes == 0 {
			continue
		}
		if name != "" {
			name += ", "
		}
		name += t.run.gemms[m.step.gemm].operands[m.lacks].tensor.String()
		if m.partial {
			name += " sums"
		}
	}
	return name
}

// dma shows the stage's moves, writes first. The latency is paid once, by
// whichever is first.
func (t *tracer) dma(st *stage, out, in string) {
	at := st.start
	end := st.start + st.dma
	if st.write > 0 {
		length := st.dma - float64(st.read)/t.run.problem.HW.BytesPerCycle
		t.span(outLane, out, at, length, map[string]any{"bytes": st.write})
		at += length
	}
	if st.read > 0 {
		t.span(inLane, in, at, end-at, map[string]any{"bytes": st.read})
	}
}

// reduction reads the cores' parts, then writes the sums.
func (t *tracer) reduction(st *stage) error {
	if !t.room(st) {
		return t.err
	}
	name := fmt.Sprintf("sum %v over cores", t.run.gemms[st.step.gemm].output().tensor)
	length := st.dma - float64(st.write)/t.run.problem.HW.BytesPerCycle
	t.span(inLane, name, st.start, length, map[string]any{"bytes": st.read})
	t.span(outLane, name, st.start+length, st.dma-length, map[string]any{"bytes": st.write})
	t.span(stallLane, reducing.String(), st.start, st.cycles, nil)
	return t.err
}

func (t *tracer) end() error { return t.err }

func (t *tracer) span(l lane, name string, start, length float64, args map[string]any) {
	t.write(event{Name: name, Phase: "X", Start: start, Duration: &length, Process: 1, Lane: l, Args: args})
}

func (t *tracer) write(e event) {
	b, err := json.Marshal(e)
	if t.err == nil {
		t.err = err
	}
	if t.count > 0 {
		t.text(",\n")
	}
	t.count++
	t.left--
	t.text(string(b))
}

func (t *tracer) text(s string) {
	if t.err == nil {
		_, t.err = t.out.WriteString(s)
	}
}

// footer closes the list and says what it shows.
func (t *tracer) footer(p *space.Problem, c *evaluator.Cost) {
	data := map[string]any{
		"time_unit": "1 microsecond of the trace is 1 cycle",
		"layer":     p.Layer.Name, "pass": p.Pass.String(), "batches": p.Layer.Batches(),
		"shows":        "one batch; the figures are of all",
		"bytes":        "of all cores over the DRAM interface",
		"ops":          c.Ops,
		"cycles":       c.Cycles,
		"array_cycles": c.ComputeCycles,
		"dram_bytes":   c.DRAMBytes,
		"spm_bytes":    c.SPMBytes,
		"truncated":    t.full,
	}
	if t.full {
		data["notice"] = fmt.Sprintf("the trace ends after %d stages at cycle %.0f, the event limit; the figures are complete", t.stages, t.until)
	}
	b, err := json.Marshal(data)
	if t.err == nil {
		t.err = err
	}
	t.text("],\n\"otherData\":" + string(b) + "}\n")
}
