package export

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/npu-tune/npu-tune/space"
)

// HeaderName is what a C program includes.
const HeaderName = "npu_dma.h"

//go:embed templates/npu_dma.h
var header []byte

// Header returns the stub of a DMA engine that C programs include.
func Header() []byte { return bytes.Clone(header) }

// ErrWidth is wrapped where C has no integer of an element's width.
var ErrWidth = errors.New("no C integer of this width")

// C returns a program that runs the pass tile by tile on an SPM with explicit
// DMA transfers, on integers, and compares the result with plain loops. It
// includes Header. Regions of the SPM lie where the schedule's footprint has
// them; where tiles of pixels take more than the cost model counts, the program
// says so and the SPM grows behind them.
func C(p *space.Problem, s *space.Schedule, title string) ([]byte, error) {
	g, err := newProgram(p, s)
	if err != nil {
		return nil, err
	}
	w := &cWriter{g: g}
	if err := w.head(title); err != nil {
		return nil, err
	}
	w.layout()
	w.tensors()
	for i, run := range g.runs() {
		w.run(i, run)
	}
	w.reference()
	w.main()
	return w.b.Bytes(), nil
}

// cWriter writes a C program.
type cWriter struct {
	g        *program
	b        bytes.Buffer
	depth    int
	unfolded bool // tiles of pixels lie unfolded: that takes less
	slotted  map[string]int64
}

func (w *cWriter) line(format string, args ...any) {
	w.b.WriteString(strings.Repeat("  ", w.depth))
	fmt.Fprintf(&w.b, format+"\n", args...)
}

func (w *cWriter) comment(format string, args ...any) { w.line("/* "+format+" */", args...) }

func (w *cWriter) open(format string, args ...any) {
	w.line(format+" {", args...)
	w.depth++
}

// block opens a block of its own.
func (w *cWriter) block() {
	w.line("{")
	w.depth++
}

func (w *cWriter) end() {
	w.depth--
	w.line("}")
}

func (w *cWriter) loop(d space.Dim, steps, tile int64) {
	w.open("for (long %[1]s = 0; %[1]s < %[2]d; %[1]s++) /* tiles of %[3]d */", d, steps, tile)
}

func (w *cWriter) bursts(d space.Dim, steps, burst int64) {
	w.open("for (long %[1]s_first = 0; %[1]s_first < %[2]d; %[1]s_first += %[3]d) /* bursts */", d, steps, burst)
}

func (w *cWriter) burst(d space.Dim, steps, burst int64) {
	w.open("for (long %[1]s = %[1]s_first; %[1]s < dma_min(%[1]s_first + %[2]d, %[3]d); %[1]s++)", d, burst, steps)
}

// integer names the C type of a width.
func integer(bytes int64) (string, error) {
	switch bytes {
	case 1, 2, 4, 8:
		return fmt.Sprintf("int%d_t", 8*bytes), nil
	}
	return "", fmt.Errorf("%w: elements of %d bytes, want 1, 2, 4 or 8", ErrWidth, bytes)
}

func (w *cWriter) head(title string) error {
	p := w.g.problem
	w.line("/* %s", strings.ReplaceAll(oneLine(title), "*/", "* /"))
	for text := range strings.Lines(p.LoopNest(w.g.s)) {
		w.line("     %s", strings.TrimRight(text, "\n"))
	}
	w.line("   The array runs each tile operation; here plain loops do. */")
	for _, t := range []struct {
		name  string
		bytes int64
	}{{"IN_T", p.HW.BytesIn}, {"OUT_T", p.HW.BytesOut}, {"ACC_T", p.HW.BytesAcc}} {
		name, err := integer(t.bytes)
		if err != nil {
			return err
		}
		w.line("#define %s %s", t.name, name)
	}
	if p.Implicit() {
		w.window()
	}
	w.line("#include %q", HeaderName)
	w.line("")
	return nil
}

func (w *cWriter) window() {
	p := w.g.problem
	c := p.Layer.Conv
	var unfolded, boxed int64
	for i := range w.g.ops {
		a := &w.g.ops[i]
		unfolded = max(unfolded, a.tile[space.M]*a.tile[space.K])
		boxed = max(boxed, boxes(p, a))
	}
	w.unfolded = unfolded <= boxed
	w.line("#define CONV_CHANNELS %d", p.Layer.K/(c.R*c.S))
	for _, f := range []struct {
		name string
		v    int64
	}{{"H", c.H}, {"W", c.W}, {"P", c.P}, {"Q", c.Q}, {"R", c.R}, {"S", c.S}, {"STRIDE_H", c.StrideH}, {"STRIDE_W", c.StrideW},
		{"DILATION_H", c.DilationH}, {"DILATION_W", c.DilationW}, {"PAD_H", c.PadH}, {"PAD_W", c.PadW}} {
		w.line("#define CONV_%s %d", f.name, f.v)
	}
	w.line("#define CONV_UNFOLDED %d", map[bool]int{true: 1}[w.unfolded])
}

// capacity returns the elements that a slot needs for the operand's tiles.
func (w *cWriter) capacity(a *operation, x *operand) int64 {
	switch {
	case !w.g.pixels(x.Tensor):
		return x.use.TileElements
	case w.unfolded:
		return a.tile[space.M] * a.tile[space.K]
	}
	return boxes(w.g.problem, a)
}

// layout writes where each region lies. Slots that must be larger than the
// footprint's move behind everything else.
func (w *cWriter) layout() {
	w.slotted = map[string]int64{}
	var pools [3]int64
	for i := range w.g.ops {
		for j := range w.g.ops[i].operands {
			x := &w.g.ops[i].operands[j]
			pools[x.use.Pool] = max(pools[x.use.Pool], x.use.Offset+x.use.Bytes)
		}
	}
	for i := range w.g.ops {
		a := &w.g.ops[i]
		for j := range a.operands {
			x := &a.operands[j]
			if x.borrowed {
				continue
			}
			slot, offset, note := x.use.TileBytes, x.use.Offset, ""
			if need := w.capacity(a, x) * (x.use.TileBytes / max(x.use.TileElements, 1)); need > slot {
				note = fmt.Sprintf("; the cost model counts %d bytes a slot, tiles that begin inside a row touch more", slot)
				slot, offset = need, pools[x.use.Pool]
				pools[x.use.Pool] += x.use.Slots * need
			}
			w.slotted[x.name] = slot
			upper := strings.ToUpper(x.name)
			w.line("#define %s_OFFSET %d /* %d slots of %d bytes in pool %d%s */", upper, offset, x.use.Slots, slot, x.use.Pool, note)
			w.line("#define %s_SLOT %d", upper, slot)
		}
	}
	for i, bytes := range pools {
		if bytes > 0 {
			w.line("static unsigned char spm%d[%d];", i, bytes)
		}
	}
	w.line("")
}

// size returns the elements of a tensor in DRAM, one batch.
func (w *cWriter) size(t space.Tensor) int64 {
	l := &w.g.problem.Layer
	if w.g.pixels(t) {
		c := l.Conv
		return l.M / (c.P * c.Q) * (l.K / (c.R * c.S)) * c.H * c.W
	}
	d := axes(t)
	return w.g.problem.Dim(d[0]) * w.g.problem.Dim(d[1])
}

func (w *cWriter) tensors() {
	batches := w.g.problem.Layer.Batches()
	declared := map[space.Tensor]bool{}
	for i := range w.g.ops {
		a := &w.g.ops[i]
		for j := range a.operands[:2] {
			if t := a.operands[j].Tensor; !declared[t] {
				declared[t] = true
				w.line("static in_t %s[%d]; /* DRAM */", t, batches*w.size(t))
			}
		}
		x := a.out()
		w.line("static out_t %s[%d];", x.Tensor, batches*w.size(x.Tensor))
		if a.splitReduction() {
			w.line("static acc_t sums_%s[%d][%d]; /* of the cores that split %s */", x.Tensor, a.o.Parts(x.lacks), batches*w.size(x.Tensor), x.lacks)
		}
		if x.reload {
			d := axes(x.Tensor)
			w.line("static acc_t partial_%s[%d][%d]; /* partial sums in DRAM, by tile */", x.Tensor,
				a.steps[d[0]]*a.steps[d[1]], w.slotted[x.name]/w.g.problem.HW.BytesAcc)
		}
	}
	w.line("")
}

func (w *cWriter) run(i int, ops []*operation) {
	w.open("static void run%d(long b, long core_m, long core_n, long core_k)", i)
	l := &w.g.problem.Layer
	for d, extent := range [space.NumDims]int64{l.M, l.N, l.K} {
		name := space.Dim(d).String()
		w.line("const long %[1]s_begin = core_%[1]s * %[2]d, %[1]s_end = dma_min(%[3]d, (core_%[1]s + 1) * %[2]d);", name, ops[0].share[d], extent)
	}
	for _, a := range ops {
		for j := range a.operands {
			if x := &a.operands[j]; !x.borrowed {
				w.line("long %s_at = 0;", x.name)
			}
		}
	}
	w.g.nest(w, ops)
	w.end()
	w.line("")
}
