package export

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/space"
)

//go:embed templates/prelude.py
var numpyPrelude string

//go:embed templates/check.py
var numpyCheck string

// NumPy returns a script that computes the pass tile by tile in the order of
// the schedule, on integers, and compares the result with the direct one and
// the bytes that it moved with those of the cost model.
func NumPy(p *space.Problem, s *space.Schedule, title string) ([]byte, error) {
	g, err := newProgram(p, s)
	if err != nil {
		return nil, err
	}
	w := &python{g: g}
	w.constants(title)
	w.b.WriteString(numpyPrelude)
	for i, run := range g.runs() {
		w.run(i, run)
	}
	w.main()
	w.b.WriteString(numpyCheck)
	return w.b.Bytes(), nil
}

// python writes a script.
type python struct {
	g     *program
	b     bytes.Buffer
	depth int
}

func (w *python) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if text != "" {
		w.b.WriteString(strings.Repeat("    ", w.depth))
	}
	w.b.WriteString(text + "\n")
}

func (w *python) comment(format string, args ...any) { w.line("# "+format, args...) }
func (w *python) end()                               { w.depth-- }
func (w *python) loop(d space.Dim, steps, tile int64) {
	w.open("for %s in range(%d):  # tiles of %d", d, steps, tile)
}

func (w *python) bursts(d space.Dim, steps, burst int64) {
	w.open("for %s_first in range(0, %d, %d):  # bursts", d, steps, burst)
}

func (w *python) burst(d space.Dim, steps, burst int64) {
	w.open("for %[1]s in range(%[1]s_first, min(%[1]s_first + %[2]d, %[3]d)):", d, burst, steps)
}

func (w *python) open(format string, args ...any) {
	w.line(format, args...)
	w.depth++
}

func (w *python) constants(title string) {
	p := w.g.problem
	l := &p.Layer
	w.line("#!/usr/bin/env python3")
	w.line("# %s", oneLine(title))
	for text := range strings.Lines(p.LoopNest(w.g.s)) {
		w.line("#   %s", strings.TrimRight(text, "\n"))
	}
	w.line("import numpy as np")
	w.line("")
	w.line("M, N, K, BATCH = %d, %d, %d, %d", l.M, l.N, l.K, l.Batches())
	w.line("BYTES_IN, BYTES_OUT, BYTES_ACC = %d, %d, %d", p.HW.BytesIn, p.HW.BytesOut, p.HW.BytesAcc)
	if c := l.Conv; p.Implicit() {
		w.line("CONV = dict(h=%d, w=%d, p=%d, q=%d, r=%d, s=%d, stride_h=%d, stride_w=%d, dilation_h=%d, dilation_w=%d, pad_h=%d, pad_w=%d)",
			c.H, c.W, c.P, c.Q, c.R, c.S, c.StrideH, c.StrideW, c.DilationH, c.DilationW, c.PadH, c.PadW)
	} else {
		w.line("CONV = None")
	}
	w.line("OUTPUTS = [%s]", strings.Join(w.outputs(), ", "))
	w.line("EXPECTED = %s  # bytes read and written per tensor; None with several cores, whose last shares may be smaller", w.expected())
	w.line("")
}

func (w *python) outputs() []string {
	var list []string
	for i := range w.g.ops {
		list = append(list, fmt.Sprintf("%q", w.g.ops[i].out().Tensor))
	}
	return list
}

// expected returns the traffic of the cost model.
func (w *python) expected() string {
	var c evaluator.Cost
	for i := range w.g.ops {
		if w.g.ops[i].o.CoreCount() > 1 {
			return "None"
		}
	}
	unlimited := *w.g.problem
	unlimited.HW.UnifiedSPM(0)
	if !analytic.New(&unlimited).Cost(w.g.s, &c) {
		return "None"
	}
	var parts []string
	for t := range space.NumTensors {
		if f := c.Traffic[t]; f.Read+f.Write > 0 {
			parts = append(parts, fmt.Sprintf("%q: [%d, %d]", t, f.Read, f.Write))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// run writes the function of operations that run together on one core.
func (w *python) run(i int, ops []*operation) {
	w.open("def run%d(b, core_m, core_n, core_k):", i)
	for d := range space.NumDims {
		w.line("%[1]s_begin, %[1]s_end = core_%[1]s * %[2]d, min(%[3]s, (core_%[1]s + 1) * %[2]d)", d, ops[0].share[d], strings.ToUpper(d.String()))
	}
	for _, a := range ops {
		for j := range a.operands {
			if x := &a.operands[j]; !x.borrowed {
				w.line("spm_%s, %s_at = [None] * %d, 0  # %d bytes at %d", x.name, x.name, x.use.Slots, x.use.Bytes, x.use.Offset)
			}
		}
		if a.out().reload {
			w.line("partial_%s = {}", a.out().name)
		}
	}
	w.g.nest(w, ops)
	w.depth--
	w.line("")
	w.line("")
}

func (w *python) multiply(a *operation) {
	for d := range space.NumDims {
		w.line("%[1]s0 = %[1]s_begin + %[1]s * %[2]d; %[1]s1 = max(%[1]s0, min(%[1]s0 + %[2]d, %[1]s_end))", d, a.tile[d])
	}
	for i := range a.operands[:2] {
		w.load(a, &a.operands[i])
	}
	w.begin(a)
	l, r, out := a.name(0), a.name(1), a.name(2)
	w.line("%s += %s", out, [space.NumOps]string{
		space.Fwd: l + " @ " + r, space.DX: l + " @ " + r + ".T", space.DW: l + ".T @ " + r,
	}[a.Op])
	w.finish(a)
}

// name is the slot of an operand's tile.
func (a *operation) name(i int) string {
	return fmt.Sprintf("spm_%[1]s[%[1]s_at]", a.operands[i].name)
}

// load writes when and from where an input's tile comes.
func (w *python) load(a *operation, x *operand) {
	w.place(x)
	if x.borrowed {
		return
	}
	guarded := !x.reload && a.steps[x.lacks] > 1
	if guarded {
		w.open("if %s == 0:", x.lacks)
	}
	w.advance(x)
	d := axes(x.Tensor)
	w.line("spm_%[1]s[%[1]s_at] = load_%[2]s(b, %[3]s0, %[3]s1, %[4]s0, %[4]s1)", x.name, x.Tensor, d[0], d[1])
	if guarded {
		w.depth--
	}
}

// place chooses the slot of a tile whose block has several.
func (w *python) place(x *operand) {
	if x.slot != "" && x.use.Slots > 1 {
		w.line("%s_at = %s", x.name, x.slot)
	}
}

// advance chooses the next slot for a tile that is its whole block.
func (w *python) advance(x *operand) {
	if x.use.Slots == 2 && !w.g.numbered(x) {
		w.line("%[1]s_at = 1 - %[1]s_at", x.name)
	}
}

// begin writes how a tile of the result begins its stay.
func (w *python) begin(a *operation) {
	x := a.out()
	w.place(x)
	d := axes(x.Tensor)
	zero := fmt.Sprintf("spm_%[1]s[%[1]s_at] = np.zeros((%[2]s1 - %[2]s0, %[3]s1 - %[3]s0), dtype=np.int64)", x.name, d[0], d[1])
	if a.steps[x.lacks] == 1 {
		w.advance(x)
		w.line("%s", zero)
		return
	}
	if x.reload {
		w.advance(x)
	}
	w.open("if %s == 0:", x.lacks)
	if !x.reload {
		w.advance(x)
	}
	w.line("%s", zero)
	w.depth--
	if x.reload {
		w.open("else:")
		w.line("spm_%[1]s[%[1]s_at] = load_partial(%[2]q, partial_%[1]s, %[3]s0, %[3]s1, %[4]s0, %[4]s1)", x.name, x.Tensor, d[0], d[1])
		w.depth--
	}
}

// finish writes how a tile of the result ends its stay.
func (w *python) finish(a *operation) {
	x := a.out()
	d := axes(x.Tensor)
	tile := fmt.Sprintf("%s0, %s1, %s0, %s1, %s", d[0], d[0], d[1], d[1], a.name(2))
	steps := a.steps[x.lacks]
	part, bytes := "0", "BYTES_OUT"
	if a.splitReduction() {
		part, bytes = "core_"+x.lacks.String(), "BYTES_ACC"
	}
	if steps > 1 {
		w.open("if %s == %d:", x.lacks, steps-1)
	}
	w.line("store_%s(%s, b, %s, %s)", x.Tensor, part, tile, bytes)
	if steps == 1 {
		return
	}
	w.depth--
	if x.reload {
		w.open("else:")
		w.line("store_partial(%q, partial_%s, %s)", x.Tensor, x.name, tile)
		w.depth--
	}
}

// main writes the loops over batches and cores.
func (w *python) main() {
	for i := range w.g.ops {
		a := &w.g.ops[i]
		w.line("result[%q] = np.zeros((%d,) + SHAPES[%q], dtype=np.int64)  # by the cores that split %s", a.out().Tensor,
			a.o.Parts(a.Reduction()), a.out().Tensor, a.Reduction())
	}
	w.open("for b in range(BATCH):")
	for i, run := range w.g.runs() {
		c := run[0].cores()
		w.open("for core_m, core_n, core_k in np.ndindex(%d, %d, %d):", c[space.M], c[space.N], c[space.K])
		w.line("run%d(b, core_m, core_n, core_k)", i)
		w.depth--
	}
	w.depth--
}

// numbered reports whether the operand's slots are numbered by loops.
func (*program) numbered(x *operand) bool { return x.slot != "" }

// oneLine joins the lines of a text.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
