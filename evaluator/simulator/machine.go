package simulator

import (
	"github.com/npu-tune/npu-tune/space"
)

// machine runs stages on a scratchpad and a DRAM that refuse what hardware
// could not do. It trusts nothing of the plan but the moves themselves.
type machine struct {
	run  *run
	spm  *scratchpad
	dram [space.NumTensors]map[tileID]bool // outputs: stored tiles, true once complete
	last int64                             // number of the last stage
	peak int64                             // bytes
	data carrier                           // nil: no numbers
}

// carrier moves numbers along with the tiles; slots are those of the machine.
type carrier interface {
	begin(r *run, areas []area) error
	load(m move, slot int) error
	operate(s step, slots [space.NumDims]int) error
	store(m move, slot int) error
	end() error
}

func (m *machine) begin(r *run, _ *visits, areas []area) error {
	m.run, m.dram, m.last = r, [space.NumTensors]map[tileID]bool{}, -1
	if err := r.fits(areas); err != nil {
		return err
	}
	var err error
	if m.spm, err = newScratchpad(areas, r.capacities()); err != nil {
		return err
	}
	if m.data != nil {
		return m.data.begin(r, areas)
	}
	return nil
}

// stage runs the array first, so that moves which touch its tiles are refused.
func (m *machine) stage(st *stage) error {
	m.last = st.number
	if st.operates {
		if err := m.operate(st); err != nil {
			return err
		}
	}
	for _, mv := range st.moves {
		var err error
		if mv.out {
			err = m.out(st.number, mv)
		} else {
			err = m.in(st.number, mv)
		}
		if err != nil {
			return err
		}
	}
	m.peak = max(m.peak, m.spm.occupied)
	return nil
}

func (m *machine) operate(st *stage) error {
	g := &m.run.gemms[st.step.gemm]
	var slots [space.NumDims]int
	for lacks := range g.operands {
		x := &g.operands[lacks]
		slot, err := m.spm.use(st.number, x.region, idOf(x, st.step), x.output)
		if err != nil {
			return err
		}
		slots[lacks] = slot
	}
	if m.data != nil {
		return m.data.operate(st.step, slots)
	}
	return nil
}

// in brings a tile into the SPM.
func (m *machine) in(stage int64, mv move) error {
	g := &m.run.gemms[mv.step.gemm]
	x := &g.operands[mv.lacks]
	tile := idOf(x, mv.step)
	if x.output && !mv.fresh {
		complete, stored := m.dram[x.tensor][tile]
		if !stored {
			return &Fault{stage, x.region, tile, ErrNeverStored}
		}
		if complete {
			return &Fault{stage, x.region, tile, ErrStoredTwice}
		}
	}
	size := elements(m.run.problem, x.tensor, g.at(mv.step.index)) * x.width
	slot, err := m.spm.load(stage, x.region, tile, size)
	if err != nil || m.data == nil {
		return err
	}
	return m.data.load(mv, slot)
}

// out lets a tile leave the SPM, outputs to DRAM.
func (m *machine) out(stage int64, mv move) error {
	x := &m.run.gemms[mv.step.gemm].operands[mv.lacks]
	tile := idOf(x, mv.step)
	if x.output {
		if err := m.store(stage, mv, x, tile); err != nil {
			return err
		}
	}
	return m.spm.drop(stage, x.region, tile)
}

func (m *machine) store(stage int64, mv move, x *operand, tile tileID) error {
	if m.dram[x.tensor] == nil {
		m.dram[x.tensor] = map[tileID]bool{}
	}
	if m.dram[x.tensor][tile] {
		return &Fault{stage, x.region, tile, ErrStoredTwice}
	}
	slot, err := m.spm.writeBack(stage, x.region, tile)
	if err != nil {
		return err
	}
	m.dram[x.tensor][tile] = mv.final
	if m.data != nil {
		return m.data.store(mv, slot)
	}
	return nil
}

func (m *machine) reduction(*stage) error { return nil }

// end checks that nothing was left behind and every output tile is complete.
func (m *machine) end() error {
	if err := m.spm.empty(m.last); err != nil {
		return err
	}
	for i := range m.run.gemms {
		if err := m.complete(&m.run.gemms[i]); err != nil {
			return err
		}
	}
	if m.data != nil {
		return m.data.end()
	}
	return nil
}

func (m *machine) complete(g *gemm) error {
	x := g.output()
	a, b := sides(x.tensor)
	for i := range g.steps[a] {
		for j := range g.steps[b] {
			if !m.dram[x.tensor][tileID{i, j}] {
				return &Fault{m.last, x.region, tileID{i, j}, ErrNeverStored}
			}
		}
	}
	return nil
}

// idOf returns the operand's tile in the given step.
func idOf(x *operand, s step) tileID {
	a, b := sides(x.tensor)
	return tileID{s.index[a], s.index[b]}
}

// capacities returns the bytes of each SPM pool that the run may fill.
func (r *run) capacities() []int64 {
	var c []int64
	for i := range r.problem.HW.NPools {
		n := r.problem.HW.Pools[i].Bytes
		if r.problem.HW.SharedSPM {
			n *= r.cores
		}
		c = append(c, n)
	}
	return c
}
