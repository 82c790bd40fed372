package results

import (
	"strings"

	"github.com/npu-tune/npu-tune/space"
)

// explain fills in the SPM map and the loop nest.
func (s *Solution) explain(p *space.Problem) {
	s.LoopNest = strings.Split(strings.TrimRight(p.LoopNest(&s.Schedule), "\n"), "\n")
	f := p.Footprint(&s.Schedule)
	for _, u := range f.Uses() {
		s.SPM = append(s.SPM, Region{
			Region: u.Region.String(), Run: int(u.Run), Pool: int(u.Pool), OffsetBytes: u.Offset,
			Slots: u.Slots, TileBytes: u.TileBytes, Copies: u.Copies, Bytes: u.Bytes,
		})
	}
}
