package results

import (
	"fmt"

	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// granularities name how often the gradients alternate, by shared loops (cost
// model section 2).
var granularities = [...]string{"sequential", "coarse", "medium", "fine"}

// granularity says how a schedule interleaves the gradients; empty for passes
// of one operation.
func granularity(s *space.Schedule) string {
	if s.Pass != space.Backward || int(s.Shared) >= len(granularities) {
		return ""
	}
	name := granularities[s.Shared]
	if s.Shared == 3 && s.Burst > 1 {
		return fmt.Sprintf("%s, burst %d", name, s.Burst)
	}
	return name
}

// perOp joins what describes each operation of a schedule, once where all
// agree.
func perOp(s *space.Schedule, of func(*space.OpSchedule) string) string {
	var text string
	for i, op := range s.Pass.Ops() {
		part := of(&s.Ops[op])
		switch {
		case i == 0:
			text = part
		case part != text:
			text += " / " + part
		}
	}
	return text
}

func order(s *space.Schedule) string {
	return perOp(s, func(o *space.OpSchedule) string {
		return o.Order[0].String() + o.Order[1].String() + o.Order[2].String()
	})
}

func tiles(s *space.Schedule) string {
	return perOp(s, func(o *space.OpSchedule) string {
		return fmt.Sprintf("%d×%d×%d", o.Tile[space.M], o.Tile[space.N], o.Tile[space.K])
	})
}

func dataflow(s *space.Schedule) string {
	return perOp(s, func(o *space.OpSchedule) string { return o.Dataflow.String() })
}

// shape is m×n×k, and ×batch where it is repeated.
func shape(l *models.Layer) string {
	s := fmt.Sprintf("%d×%d×%d", l.M, l.N, l.K)
	if b := l.Batches(); b > 1 {
		s += fmt.Sprintf(" ×%d", b)
	}
	return s
}

// proof says in a word how good a job's best is.
func (f *Found) proof() string {
	switch {
	case f.Proven:
		return "proven"
	case f.Gap != nil:
		return fmt.Sprintf("gap ≤ %.1f %%", 100**f.Gap)
	}
	return "unproven"
}
