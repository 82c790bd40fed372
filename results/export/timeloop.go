package export

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/npu-tune/npu-tune/space"
)

// TimeloopFiles are what Timeloop's model needs of one operation.
type TimeloopFiles struct {
	Op                     space.Op
	Problem, Arch, Mapping []byte
}

// Timeloop returns the problem, the architecture and the mapping of each
// operation of a schedule, for Timeloop 3's model. Timeloop runs one operation:
// how two gradients alternate has no place there. Where every tensor stays at
// one level the architecture has two, DRAM and SPM; else the SPM is one level
// for each level at which some tensor stays, that keeps these tensors only.
// Tiles that do not divide their dimension give factors with a remainder
// (M=3,2), which the mapping's reader must know. One core's share is mapped.
func Timeloop(p *space.Problem, s *space.Schedule) ([]TimeloopFiles, error) {
	g, err := newProgram(p, s)
	if err != nil {
		return nil, err
	}
	var list []TimeloopFiles
	for i := range g.ops {
		t := timeloop{p: p, a: &g.ops[i]}
		t.listLevels()
		list = append(list, TimeloopFiles{t.a.Op, t.problem(), t.arch(), t.mapping()})
	}
	return list, nil
}

// timeloop writes one operation.
type timeloop struct {
	p      *space.Problem
	a      *operation
	levels []level
	b      bytes.Buffer
}

// level is a storage level of the SPM: it keeps what stays inside the first
// hold loops.
type level struct {
	name  string
	hold  int
	keeps []*operand
}

// dataSpace names a tensor as other names in Timeloop begin: with a capital.
func dataSpace(t space.Tensor) string { return strings.ToUpper(t.String()) }

// listLevels groups the tensors by the level at which they stay; loops of one
// step change nothing.
func (t *timeloop) listLevels() {
	for i := range t.a.operands {
		x := &t.a.operands[i]
		h := int(t.a.o.Hold[x.lacks])
		for h > 0 && (t.a.o.Order[h-1] == x.lacks || t.a.steps[t.a.o.Order[h-1]] == 1) {
			h--
		}
		at := slices.IndexFunc(t.levels, func(l level) bool { return l.hold == h })
		if at < 0 {
			at = len(t.levels)
			t.levels = append(t.levels, level{hold: h})
		}
		t.levels[at].keeps = append(t.levels[at].keeps, x)
	}
	slices.SortFunc(t.levels, func(a, b level) int { return a.hold - b.hold })
	for i := range t.levels {
		t.levels[i].name = "SPM"
		if len(t.levels) > 1 {
			t.levels[i].name = fmt.Sprintf("SPM%d", i)
		}
	}
}

func (t *timeloop) flush() []byte {
	out := bytes.Clone(t.b.Bytes())
	t.b.Reset()
	return out
}

func (t *timeloop) line(format string, args ...any) { fmt.Fprintf(&t.b, format+"\n", args...) }

func (t *timeloop) problem() []byte {
	t.line("# %s, one core's share%s", meaning[t.a.Op], map[bool]string{true: "; convolution as the GEMM of its im2col matrix"}[t.p.Layer.Conv != nil])
	t.line("problem:")
	t.line("  shape:")
	t.line("    name: GEMM")
	t.line("    dimensions: [ M, N, K ]")
	t.line("    data-spaces:")
	for i := range t.a.operands {
		x := &t.a.operands[i]
		d := axes(x.Tensor)
		t.line("      - name: %s", dataSpace(x.Tensor))
		t.line("        projection: [ [[%s]], [[%s]] ]", strings.ToUpper(d[0].String()), strings.ToUpper(d[1].String()))
		if x.output {
			t.line("        read-write: True")
		}
	}
	t.line("  instance: {M: %d, N: %d, K: %d}", t.a.share[space.M], t.a.share[space.N], t.a.share[space.K])
	return t.flush()
}

func (t *timeloop) arch() []byte {
	hw := &t.p.HW
	t.line("# Traffic between DRAM and SPM is the schedule's; the array is one MAC, so cycles are not.")
	t.line("architecture:")
	t.line("  version: 0.3")
	t.line("  subtree:")
	t.line("    - name: system")
	t.line("      local:")
	t.line("        - name: DRAM")
	t.line("          class: DRAM")
	t.line("          attributes: {width: 64, word-bits: %d}", 8*hw.BytesIn)
	t.line("      subtree:")
	t.line("        - name: npu")
	t.line("          local:")
	for _, l := range t.levels {
		var words int64
		for _, x := range l.keeps {
			words += x.use.Slots * x.use.TileElements
		}
		t.line("            - name: %s", l.name)
		t.line("              class: SRAM")
		t.line("              attributes: {depth: %d, width: %d, block-size: 1, word-bits: %d}", words, 8*hw.BytesIn, 8*hw.BytesIn)
	}
	t.line("            - name: MAC")
	t.line("              class: intmac")
	t.line("              attributes: {datawidth: %d}", 8*hw.BytesIn)
	return t.flush()
}

func (t *timeloop) mapping() []byte {
	t.line("# %s, loops outermost first: %s; permutations begin with the innermost loop.", meaning[t.a.Op], t.a.o.Order)
	t.line("mapping:")
	t.temporal("DRAM", 0, t.levels[0].hold, false)
	for i, l := range t.levels {
		to, last := 3, i == len(t.levels)-1
		if !last {
			to = t.levels[i+1].hold
		}
		t.temporal(l.name, l.hold, to, last)
	}
	for _, l := range t.levels {
		var keep, bypass []string
		for i := range t.a.operands {
			x := &t.a.operands[i]
			if slices.Contains(l.keeps, x) {
				keep = append(keep, dataSpace(x.Tensor))
			} else {
				bypass = append(bypass, dataSpace(x.Tensor))
			}
		}
		t.line("  - target: %s", l.name)
		t.line("    type: datatype")
		t.line("    keep: [%s]", strings.Join(keep, ", "))
		t.line("    bypass: [%s]", strings.Join(bypass, ", "))
	}
	return t.flush()
}

// temporal writes the loops from one position to another; the last level has
// the elements of the tile too.
func (t *timeloop) temporal(name string, from, to int, last bool) {
	var factors [space.NumDims]string
	for d := range space.NumDims {
		factors[d] = strings.ToUpper(d.String()) + "=" + t.factor(d, from, to, last)
	}
	order := t.a.o.Order
	t.line("  - target: %s", name)
	t.line("    type: temporal")
	t.line("    factors: %s", strings.Join(factors[:], " "))
	t.line("    permutation: %s", strings.ToUpper(order[2].String()+order[1].String()+order[0].String()))
}

func (t *timeloop) factor(d space.Dim, from, to int, last bool) string {
	steps, tile, share := t.a.steps[d], t.a.tile[d], t.a.share[d]
	at := t.a.o.Order.Position(d)
	here := at > from && at <= to
	switch {
	case last && here:
		return fmt.Sprint(share)
	case last:
		if rest := share - (steps-1)*tile; rest != tile {
			return fmt.Sprintf("%d,%d", tile, rest)
		}
		return fmt.Sprint(tile)
	case here:
		return fmt.Sprint(steps)
	}
	return "1"
}
