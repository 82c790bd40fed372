package export

import (
	"fmt"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/space"
)

// reference writes plain loops for each operation, straight from the
// definition of the layer.
func (w *cWriter) reference() {
	for i := range w.g.ops {
		a := &w.g.ops[i]
		out := a.out().Tensor
		w.open("static void direct_%s(int64_t *out, long b)", out)
		l := &w.g.problem.Layer
		for d, extent := range [space.NumDims]int64{l.M, l.N, l.K} {
			w.open("for (long %[1]s = 0; %[1]s < %[2]d; %[1]s++)", space.Dim(d), extent)
		}
		if w.g.problem.Implicit() {
			w.pixel()
		}
		left, right, to := a.operands[0].Tensor, a.operands[1].Tensor, out
		w.line("out[%s] += (int64_t)%s[b * %d + %s] * %s[b * %d + %s];", w.place1(to), left, w.size(left), w.place1(left),
			right, w.size(right), w.place1(right))
		for range 4 {
			w.end()
		}
		w.line("")
	}
}

// pixel writes where a tap of the window lies, without the DMA's help.
func (w *cWriter) pixel() {
	w.line("const long image = m / (CONV_P * CONV_Q), p = m / CONV_Q %% CONV_P, q = m %% CONV_Q;")
	w.line("const long c = k / (CONV_R * CONV_S), r = k / CONV_S %% CONV_R, s = k %% CONV_S;")
	w.line("const long row = p * CONV_STRIDE_H + r * CONV_DILATION_H - CONV_PAD_H, column = q * CONV_STRIDE_W + s * CONV_DILATION_W - CONV_PAD_W;")
	w.line("if (row < 0 || row >= CONV_H || column < 0 || column >= CONV_W) continue;")
}

// place1 returns where an element of a tensor lies in one batch.
func (w *cWriter) place1(t space.Tensor) string {
	switch {
	case w.g.pixels(t):
		return "((image * CONV_CHANNELS + c) * CONV_H + row) * CONV_W + column"
	case t.Lacks() == space.M:
		return w.index("k", "n", w.g.problem.Layer.N)
	case t.Lacks() == space.N:
		return w.index("m", "k", w.g.problem.Layer.K)
	}
	return w.index("m", "n", w.g.problem.Layer.N)
}

// main writes the inputs, the loops over batches and cores, and the checks.
func (w *cWriter) main() {
	w.open("static void fill(in_t *v, long n, unsigned long seed)")
	w.open("for (long i = 0; i < n; i++)")
	w.line("seed = (seed * 1103515245UL + 12345UL) %% 2147483648UL;")
	w.line("v[i] = (in_t)((long)(seed / 65536UL %% 9UL) - 4);")
	w.end()
	w.end()
	w.line("")
	w.checker()
	w.open("int main(void)")
	filled := map[space.Tensor]bool{}
	batches := w.g.problem.Layer.Batches()
	for i := range w.g.ops {
		for j := range w.g.ops[i].operands[:2] {
			if t := w.g.ops[i].operands[j].Tensor; !filled[t] {
				filled[t] = true
				w.line("fill(%s, %d, %d);", t, batches*w.size(t), t+1)
			}
		}
	}
	w.open("for (long b = 0; b < %d; b++)", batches)
	for i, run := range w.g.runs() {
		c := run[0].cores()
		for d := range space.NumDims {
			w.open("for (long core_%[1]s = 0; core_%[1]s < %[2]d; core_%[1]s++)", d, c[d])
		}
		w.line("run%d(b, core_m, core_n, core_k);", i)
		for range space.NumDims {
			w.end()
		}
	}
	w.end()
	w.checks()
	w.end()
}

func (w *cWriter) checker() {
	w.open("static int check(const char *name, const out_t *got, void (*direct)(int64_t *, long), long b, long n)")
	w.line("int64_t *want = calloc((size_t)n, sizeof *want);")
	w.line("long wrong = 0;")
	w.line("if (!want) return 1;")
	w.line("direct(want, b);")
	w.line("for (long i = 0; i < n; i++) wrong += got[b * n + i] != (out_t)(acc_t)want[i];")
	w.line("free(want);")
	w.line(`if (wrong) printf("%%s differs from plain loops in %%ld of %%ld elements of batch %%ld\n", name, wrong, n, b);`)
	w.line("return wrong != 0;")
	w.end()
	w.line("")
}

func (w *cWriter) checks() {
	w.line("int bad = 0;")
	for i := range w.g.ops {
		a := &w.g.ops[i]
		t := a.out().Tensor
		n := w.size(t) * w.g.problem.Layer.Batches()
		if a.splitReduction() {
			w.line("for (long i = 0; i < %d; i++)", n)
			w.line("  for (long part = 0; part < %d; part++) %s[i] = (out_t)(%s[i] + sums_%s[part][i]);", a.o.Parts(a.Reduction()), t, t, t)
		}
		w.line("for (long b = 0; b < %d; b++) bad |= check(%q, %s, direct_%s, b, %d);", w.g.problem.Layer.Batches(), t, t, t, w.size(t))
		w.line(`if (!bad) printf("%s agrees with plain loops in all %d elements\n");`, t, n)
	}
	if read, written, ok := w.traffic(); ok {
		w.open("if (dma_bytes_in != %dLL || dma_bytes_out != %dLL)", read, written)
		w.line(`printf("moved %%lld and %%lld bytes, want %d and %d\n", dma_bytes_in, dma_bytes_out);`, read, written)
		w.line("bad = 1;")
		w.end()
	}
	w.line(`printf("read %%lld and wrote %%lld bytes\n", dma_bytes_in, dma_bytes_out);`)
	w.line("return bad;")
}

// traffic returns the bytes of the cost model, where the stub counts alike:
// not for pixels, of which it moves those that lie in the images, nor for
// several cores, whose last shares may be smaller.
func (w *cWriter) traffic() (read, written int64, ok bool) {
	for i := range w.g.ops {
		if w.g.ops[i].o.CoreCount() > 1 || w.usesPixels(&w.g.ops[i]) {
			return 0, 0, false
		}
	}
	unlimited := *w.g.problem
	unlimited.HW.UnifiedSPM(0)
	var c evaluator.Cost
	if !analytic.New(&unlimited).Cost(w.g.s, &c) {
		return 0, 0, false
	}
	for _, f := range c.Traffic {
		read, written = read+f.Read, written+f.Write
	}
	return read, written, true
}

func (*cWriter) index(row, column string, stride int64) string {
	return fmt.Sprintf("%s * %d + %s", row, stride, column)
}
