package results

import (
	"fmt"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

// Reasons why the best schedule of a backward pass is not interleaved.
const (
	keepsDY    = "dy_stays"     // it holds all of dY, and so reads it once anyway
	noRoom     = "no_room"      // nothing interleaved fits the SPM
	tie        = "tie"          // interleaving costs the same
	spmReuse   = "spm"          // interleaved, the gradients' tiles share the SPM, and reloads cost more than dY's saves
	moreFolds  = "array"        // interleaving moves less but takes the array longer
	arrayBound = "array_bound"  // the array is busy nearly all the time: traffic saved saves no time
	stalls     = "overlap"      // interleaving moves and computes less, but overlaps it worse
	unknownWhy = "not_searched" // the budget ended before an interleaved schedule was found
)

// NotInterleaved says why the best schedule's gradients share no loop, by the
// best schedule whose gradients do.
type NotInterleaved struct {
	Reason string `json:"reason"`
	// Best is the interleaved schedule; nil where none is known.
	Best *Solution `json:"best"`
	// Worse is by which part of the best its objective is greater.
	Worse *float64 `json:"worse"`
	// Proven says that no interleaved schedule has a smaller objective.
	Proven bool `json:"proven"`
}

// nearlyAll is the part of the time from which the array counts as busy
// throughout.
const nearlyAll = 0.98

// notInterleaved explains a sequential best; nil where it is none, or where it
// was not asked.
func notInterleaved(npu *hardware.NPU, in *JobInput, objective search.Objective) *NotInterleaved {
	best := in.Outcome.Best()
	if in.Interleaved == nil || !isSequential(&best.Schedule) {
		return nil
	}
	n := &NotInterleaved{Proven: in.Interleaved.Proven}
	other := in.Interleaved.Best()
	if other == nil {
		n.Reason = unknownWhy
		if n.Proven {
			n.Reason = noRoom
		}
		return n
	}
	s := newSolution(npu, other)
	n.Best = &s
	ours, theirs := objective.Value(&best.Cost), objective.Value(&other.Cost)
	if ours > 0 {
		worse := theirs/ours - 1
		n.Worse = &worse
	}
	n.Reason = reasonNot(best, other, theirs <= ours)
	return n
}

// reasonNot compares the best with the best interleaved one.
func reasonNot(best, other *search.Candidate, equal bool) string {
	b, o := &best.Cost, &other.Cost
	switch {
	case equal:
		return tie
	case b.Slots[space.DYRegion] > 0:
		return keepsDY
	case float64(b.ComputeCycles) >= nearlyAll*b.Cycles:
		return arrayBound
	case o.DRAMBytes >= b.DRAMBytes:
		return spmReuse
	case o.ComputeCycles > b.ComputeCycles:
		return moreFolds
	}
	return stalls
}

func (n *NotInterleaved) text(objective search.Objective) string {
	worse := ""
	if n.Worse != nil {
		worse = fmt.Sprintf(" (the best interleaved schedule: %+.2f %% %s)", 100**n.Worse, figure(objective))
	}
	switch n.Reason {
	case noRoom:
		return "It is not interleaved because nothing interleaved fits the SPM."
	case unknownWhy:
		return "It is not interleaved; the budget ended before an interleaved schedule was found."
	case tie:
		return "It is not interleaved because that would gain nothing: the best interleaved schedule costs the same."
	case keepsDY:
		return "It is not interleaved because dY stays in the SPM from one gradient to the other and is read once anyway" + worse + "."
	case arrayBound:
		return "It is not interleaved because the array is busy nearly all the time, so that reading dY once saves no time" + worse + "."
	case spmReuse:
		return "It is not interleaved because the tiles of both gradients would share the SPM, and smaller tiles reload more than dY read once saves" + worse + "."
	case moreFolds:
		return "It is not interleaved because tiles that fit the SPM together keep the array longer than the traffic saved is worth" + worse + "."
	}
	return "It is not interleaved because loads and stores would overlap the array's work less well" + worse + "."
}
