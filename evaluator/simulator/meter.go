package simulator

import "math"

// meter measures stalls and fills the timeline of a report.
type meter struct {
	machine *machine
	report  Report
	buckets int
	total   float64 // cycles of one batch
	runs    int
}

func (m *meter) begin(_ *run, _ *visits, areas []area) error {
	for _, a := range areas {
		m.report.Areas = append(m.report.Areas, Area{
			Run: m.runs, Region: a.region, Pool: a.pool, Offset: a.offset,
			Slots: a.slots, SlotBytes: a.slot, Replicas: a.replicas,
		})
	}
	m.runs++
	if m.report.Timeline == nil {
		m.report.Width = m.total / float64(m.buckets)
		m.report.Timeline = make([]Bucket, m.buckets)
		for i := range m.report.Timeline {
			m.report.Timeline[i].Start = float64(i) * m.report.Width
		}
	}
	return nil
}

func (m *meter) stage(st *stage) error {
	*m.report.Stalls.of(st.cause()) += st.cycles
	m.spread(st)
	return nil
}

func (m *meter) reduction(st *stage) error {
	m.report.Stalls.Reduction += st.cycles
	m.spread(st)
	return nil
}

func (m *meter) end() error { return nil }

// spread adds a stage to the intervals that it touches: bytes evenly over the
// DMA engine's time, the array's cycles from the stage's start.
func (m *meter) spread(st *stage) {
	width := m.report.Width
	m.over(st.start, st.cycles, func(b *Bucket, t float64) { b.Occupied += float64(m.machine.spm.occupied) * t / width })
	m.over(st.start, st.dma, func(b *Bucket, t float64) {
		b.ReadBytes += float64(st.read) * t / st.dma
		b.WriteBytes += float64(st.write) * t / st.dma
	})
	m.over(st.start, float64(st.compute), func(b *Bucket, t float64) { b.Compute += t })
}

// over hands add each interval that [start, start+length) touches, with the
// cycles that it has of it.
func (m *meter) over(start, length float64, add func(*Bucket, float64)) {
	if length <= 0 {
		return
	}
	line, width, end := m.report.Timeline, m.report.Width, start+length
	for i := min(int(start/width), len(line)-1); i < len(line); i++ {
		from, to := max(start, line[i].Start), line[i].Start+width
		if i == len(line)-1 {
			to = math.Inf(1) // rounding must lose nothing
		}
		if to = min(to, end); to > from {
			add(&line[i], to-from)
		}
		if end <= line[i].Start+width {
			return
		}
	}
}
