package hardware

import (
	"slices"
	"strings"

	"github.com/npu-tune/npu-tune/internal/nearest"
)

// SPM is one scratchpad of each core and what it holds.
type SPM struct {
	Holds []Role // roles whose tensors it holds
	Bytes int64  // capacity per core
}

// Unified returns the SPMs of a core that has one of the given bytes for
// everything.
func Unified(bytes int64) []SPM {
	return []SPM{{Holds: []Role{Inputs, Weights, Accumulators}, Bytes: bytes}}
}

// setPools makes the SPMs the pools of p.
func (p *Params) setPools(spms []SPM) {
	p.NPools = len(spms)
	p.Pools, p.PoolOf = [NumRoles]Pool{}, [NumRoles]uint8{}
	for i, s := range spms {
		p.Pools[i].Bytes = s.Bytes
		for _, r := range s.Holds {
			p.PoolOf[r] = uint8(i)
		}
	}
}

// spms is the inverse of setPools.
func (p *Params) spms() []SPM {
	spms := make([]SPM, p.NPools)
	for i := range spms {
		spms[i].Bytes = p.Pools[i].Bytes
	}
	for r := range NumRoles {
		if i := int(p.PoolOf[r]); i < len(spms) {
			spms[i].Holds = append(spms[i].Holds, r)
		}
	}
	return spms
}

// spms reports SPMs that do not hold every role exactly once, and capacities
// outside least..MaxSPMBytes.
func (v *violations) spms(spms []SPM, least int64) {
	var holders [NumRoles]int
	for i, s := range spms {
		v.whole(index("spm", i)+".bytes", s.Bytes, least, MaxSPMBytes)
		if len(s.Holds) == 0 {
			v.add(index("spm", i)+".holds", "is empty, want some of %s", strings.Join(roleNames[:], ", "))
		}
		for _, r := range s.Holds {
			if r < NumRoles {
				holders[r]++
			}
		}
	}
	for r, n := range holders {
		switch {
		case n == 0:
			v.add("spm", "holds %s nowhere, want exactly one SPM that holds them", Role(r))
		case n > 1:
			v.add("spm", "holds %s %d times, want exactly once", Role(r), n)
		}
	}
}

// roles reads names of roles, reporting those that are none.
func (v *violations) roles(field string, names []string) []Role {
	var roles []Role
	for _, name := range names {
		r, err := ParseRole(name)
		if err != nil {
			v.add(field, "has %q, want %s%s", name, strings.Join(roleNames[:], ", "), nearest.Hint(name, roleNames[:]))
			continue
		}
		roles = append(roles, r)
	}
	return roles
}

// dataflows reads names of dataflows, reporting those that are none or occur
// twice.
func (v *violations) dataflows(names []string) []Dataflow {
	var dataflows []Dataflow
	for _, name := range names {
		d, err := ParseDataflow(name)
		switch {
		case err != nil:
			v.add("dataflows", "has %q, want %s", name, strings.Join(dataflowNames[:], ", "))
		case slices.Contains(dataflows, d):
			v.add("dataflows", "has %q twice, want each at most once", name)
		default:
			dataflows = append(dataflows, d)
		}
	}
	if names != nil && len(names) == 0 {
		v.add("dataflows", "is empty, want some of %s", strings.Join(dataflowNames[:], ", "))
	}
	return dataflows
}
