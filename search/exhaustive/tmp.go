package exhaustive

import "github.com/npu-tune/npu-tune/space"

type spaceT struct{}

func allows(sp *space.Constraints, s *space.Schedule) bool { return true }
