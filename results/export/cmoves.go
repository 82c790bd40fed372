package export

import (
	"fmt"
	"strings"

	"github.com/npu-tune/npu-tune/space"
)

// multiply writes one tile operation with the transfers before and after it.
func (w *cWriter) multiply(a *operation) {
	w.block()
	for d := range space.NumDims {
		w.line("const long %[1]s0 = %[1]s_begin + %[1]s * %[2]d, %[1]s1 = dma_max(%[1]s0, dma_min(%[1]s0 + %[2]d, %[1]s_end));", d, a.tile[d])
	}
	if w.g.problem.Implicit() {
		w.line("const dma_tile tile = {m0, m1, k0, k1};")
		if !w.usesPixels(a) {
			w.line("(void)tile;")
		}
	}
	for i := range a.operands[:2] {
		w.load(a, &a.operands[i])
	}
	w.begin(a)
	w.array(a)
	w.finish(a)
	w.end()
}

func (w *cWriter) usesPixels(a *operation) bool {
	for i := range a.operands {
		if w.g.pixels(a.operands[i].Tensor) {
			return true
		}
	}
	return false
}

// address returns the operand's current slot.
func address(x *operand) string {
	return fmt.Sprintf("(spm%d + %[2]s_OFFSET + %[3]s_at * %[2]s_SLOT)", x.use.Pool, strings.ToUpper(x.name), x.name)
}

// place chooses the slot of a tile whose block has several.
func (w *cWriter) place(x *operand) {
	if x.slot != "" && x.use.Slots > 1 {
		w.line("%s_at = %s;", x.name, x.slot)
	}
}

// advance chooses the next slot for a tile that is its whole block.
func (w *cWriter) advance(x *operand) {
	if x.use.Slots == 2 && !w.g.numbered(x) {
		w.line("%[1]s_at = 1 - %[1]s_at;", x.name)
	}
}

// matrix returns where a tile of a matrix in DRAM begins, and its stride.
func (w *cWriter) matrix(t space.Tensor) (at string, stride int64) {
	d := axes(t)
	stride = w.g.problem.Dim(d[1])
	return fmt.Sprintf("b * %d + %s0 * %d + %s0", w.size(t), d[0], stride, d[1]), stride
}

func (w *cWriter) load(a *operation, x *operand) {
	w.place(x)
	if x.borrowed {
		return
	}
	guarded := !x.reload && a.steps[x.lacks] > 1
	if guarded {
		w.open("if (%s == 0)", x.lacks)
	}
	w.advance(x)
	d := axes(x.Tensor)
	if w.g.pixels(x.Tensor) {
		w.line("dma_in_pixels((spm_in *)%s, %s + b * %d, &tile);", address(x), x.Tensor, w.size(x.Tensor))
	} else {
		at, stride := w.matrix(x.Tensor)
		w.line("dma_in(%s, %s + %s, %s1 - %s0, (%s1 - %s0) * (long)sizeof(in_t), %d * (long)sizeof(in_t));",
			address(x), x.Tensor, at, d[0], d[0], d[1], d[1], stride)
	}
	if guarded {
		w.end()
	}
}

// elements returns the elements of the operand's tile in its slot.
func (w *cWriter) elements(x *operand) string {
	if w.g.pixels(x.Tensor) {
		return "dma_elements(&tile)"
	}
	d := axes(x.Tensor)
	return fmt.Sprintf("(%s1 - %s0) * (%s1 - %s0)", d[0], d[0], d[1], d[1])
}

func (w *cWriter) begin(a *operation) {
	x := a.out()
	w.place(x)
	zero := fmt.Sprintf("memset(%s, 0, (size_t)(%s) * sizeof(acc_t));", address(x), w.elements(x))
	if a.steps[x.lacks] == 1 {
		w.advance(x)
		w.line("%s", zero)
		return
	}
	if x.reload {
		w.advance(x)
	}
	w.open("if (%s == 0)", x.lacks)
	if !x.reload {
		w.advance(x)
	}
	w.line("%s", zero)
	w.end()
	if x.reload {
		w.open("else")
		w.line("dma_in(%s, %s, 1, %s * (long)sizeof(acc_t), 0);", address(x), w.partial(a, x), w.elements(x))
		w.end()
	}
}

func (w *cWriter) partial(a *operation, x *operand) string {
	d := axes(x.Tensor)
	return fmt.Sprintf("partial_%s[%s * %d + %s]", x.Tensor, d[0], a.steps[d[1]], d[1])
}

func (w *cWriter) finish(a *operation) {
	x := a.out()
	steps := a.steps[x.lacks]
	if steps > 1 {
		w.open("if (%s == %d)", x.lacks, steps-1)
	}
	w.store(a, x)
	if steps == 1 {
		return
	}
	w.end()
	if x.reload {
		w.open("else")
		w.line("dma_out(%s, %s, 1, %s * (long)sizeof(acc_t), 0);", w.partial(a, x), address(x), w.elements(x))
		w.end()
	}
}

// store writes a complete tile to DRAM.
func (w *cWriter) store(a *operation, x *operand) {
	to, matrix, pixels := x.Tensor.String(), "dma_out_result", "dma_add_pixels"
	if a.splitReduction() {
		to, matrix, pixels = fmt.Sprintf("sums_%s[core_%s]", x.Tensor, x.lacks), "dma_out_sums", "dma_add_sums"
	}
	if w.g.pixels(x.Tensor) {
		w.line("%s(%s + b * %d, (const spm_acc *)%s, &tile);", pixels, to, w.size(x.Tensor), address(x))
		return
	}
	d := axes(x.Tensor)
	at, stride := w.matrix(x.Tensor)
	w.line("%s(%s + %s, (const spm_acc *)%s, %s1 - %s0, %s1 - %s0, %d);", matrix, to, at, address(x), d[0], d[0], d[1], d[1], stride)
}

// array writes the tile operation itself.
func (w *cWriter) array(a *operation) {
	w.block()
	for j := range a.operands {
		x := &a.operands[j]
		kind := "const spm_in"
		if x.output {
			kind = "spm_acc"
		}
		w.line("%s *t_%s = (%s *)%s;", kind, x.Tensor, kind, address(x))
	}
	for _, d := range []space.Dim{a.Rows(), a.Columns(), a.Reduction()} {
		w.open("for (long i%[1]s = %[1]s0; i%[1]s < %[1]s1; i%[1]s++)", d)
	}
	if w.usesPixels(a) {
		w.line("const long px = dma_find(&tile, im, ik).spm;")
		w.line("if (px < 0) continue; /* padding */")
	}
	var e [3]string
	for j := range a.operands {
		t := a.operands[j].Tensor
		d := axes(t)
		e[j] = fmt.Sprintf("t_%[1]s[(i%[2]s - %[2]s0) * (%[3]s1 - %[3]s0) + i%[3]s - %[3]s0]", t, d[0], d[1])
		if w.g.pixels(t) {
			e[j] = fmt.Sprintf("t_%s[px]", t)
		}
	}
	w.line("%[1]s = (acc_t)(%[1]s + (int64_t)%[2]s * %[3]s);", e[2], e[0], e[1])
	for range 4 {
		w.end()
	}
}
