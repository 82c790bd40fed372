package results

import (
	"fmt"
	"strings"

	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

// references are the baselines that the summary compares with, in order.
var references = []string{"conventional", "best-sequential"}

// summary says in one sentence what was gained and why: cycles and DRAM
// traffic of the largest group of passes, and how much dY traffic went away.
func (d *Document) summary() string {
	g := groups(d.Jobs)
	if len(g) == 0 {
		return "There was nothing to tune."
	}
	pass := g[len(g)-1]
	ours := d.Total(pass, Ours)
	if ours == nil {
		return fmt.Sprintf("No schedule was found for some layers of %s, so there is nothing to compare.", d.Model.Name)
	}
	s := fmt.Sprintf("One %s of %s on %s takes %s (%s)", occasion(pass), d.Model.Name, d.NPU.Name,
		quantity(ours.Cycles, "cycles"), duration(ours.Milliseconds))
	var gains []string
	for _, name := range references {
		if ref := d.Total(pass, name); ref != nil {
			gains = append(gains, gain(d.Search.Objective, ours, ref, name))
		}
	}
	if len(gains) > 0 {
		s += ", " + strings.Join(gains, " and ")
	}
	return s + d.reason() + d.standing() + d.within(pass) + "."
}

func occasion(pass string) string {
	if pass == trainingPasses {
		return "training step"
	}
	return pass + " pass"
}

// gain compares with a baseline in what was made small.
func gain(objective string, ours, ref *Figures, name string) string {
	switch objective {
	case search.Traffic.String():
		return fmt.Sprintf("with %.2f× less DRAM traffic than %s (%s → %s)", ratio(ref.DRAMBytes, ours.DRAMBytes), name,
			byteCount(ref.DRAMBytes), byteCount(ours.DRAMBytes))
	case search.SPM.String():
		return fmt.Sprintf("with %.2f× less SPM than %s (%s → %s)", ratio(ref.SPMBytes, ours.SPMBytes), name,
			byteCount(ref.SPMBytes), byteCount(ours.SPMBytes))
	case search.Energy.String():
		return fmt.Sprintf("with %.2f× less energy than %s (%.4g mJ → %.4g mJ)", ratio(ref.EnergyPJ, ours.EnergyPJ), name,
			ref.EnergyPJ/milli, ours.EnergyPJ/milli)
	case search.EDP.String():
		return fmt.Sprintf("with a %.2f× smaller energy-delay product than %s", ratio(ref.EnergyPJ*ref.Cycles, ours.EnergyPJ*ours.Cycles), name)
	}
	return fmt.Sprintf("%.2f× as fast as %s (DRAM traffic %s → %s)", ratio(ref.Cycles, ours.Cycles), name,
		byteCount(ref.DRAMBytes), byteCount(ours.DRAMBytes))
}

// ratio divides, and is 1 where both are 0.
func ratio[T int64 | float64](a, b T) float64 {
	if a == b {
		return 1
	}
	return float64(a) / float64(b)
}

// reason says how dY's traffic changed: the backward pass is where the two
// gradients can read it once for both.
func (d *Document) reason() string {
	ours := d.Total(backwardPasses, Ours)
	if ours == nil {
		return ""
	}
	var parts []string
	for _, name := range references {
		ref := d.Total(backwardPasses, name)
		if ref == nil || ref.DYBytes == 0 {
			continue
		}
		parts = append(parts, fmt.Sprintf("%s with %s (%s)", byteCount(ref.DYBytes), name, change(ours.DYBytes, ref.DYBytes)))
	}
	if len(parts) == 0 {
		return ""
	}
	shared, all := d.sharingLayers()
	return fmt.Sprintf("; dX and dW read dY from one region of the SPM in %d of %d layers, and the backward passes move %s of dY instead of %s",
		shared, all, byteCount(ours.DYBytes), strings.Join(parts, " and "))
}

// sharingLayers counts the layers whose best backward pass has one region of
// dY for both gradients, and all layers with two gradients.
func (d *Document) sharingLayers() (shared, all int64) {
	for i := range d.Jobs {
		j := &d.Jobs[i]
		if j.Pass != space.Backward || j.Best == nil {
			continue
		}
		all += j.Count
		if j.Best.Cost.Slots[space.DYRegion] > 0 {
			shared += j.Count
		}
	}
	return shared, all
}

// standing says what is not proven.
func (d *Document) standing() string {
	open := 0
	for i := range d.Jobs {
		if !d.Jobs[i].Found.Proven {
			open++
		}
	}
	if open == 0 {
		return "; every schedule is proven optimal"
	}
	return fmt.Sprintf("; %d of %d passes are not proven optimal", open, len(d.Jobs))
}

// within says how far any schedules could go.
func (d *Document) within(pass string) string {
	t := d.total(pass, Ours)
	if t == nil || t.Reach == nil || t.Reach.Gap == nil {
		return ""
	}
	return fmt.Sprintf(", within %.1f %% of what any schedule could reach", 100**t.Reach.Gap)
}

func change(now, before int64) string {
	return fmt.Sprintf("%+.1f %%", 100*(float64(now)/float64(before)-1))
}

// byteCount writes a number of bytes in the largest unit that it reaches.
func byteCount(b int64) string {
	switch v := float64(b); {
	case v >= 1e12:
		return fmt.Sprintf("%.2f TB", v/1e12)
	case v >= 1e9:
		return fmt.Sprintf("%.2f GB", v/1e9)
	case v >= 1e6:
		return fmt.Sprintf("%.1f MB", v/1e6)
	case v >= 1e3:
		return fmt.Sprintf("%.1f kB", v/1e3)
	}
	return fmt.Sprintf("%d bytes", b)
}

func quantity(v float64, unit string) string {
	switch {
	case v >= 1e9:
		return fmt.Sprintf("%.2f G %s", v/1e9, unit)
	case v >= 1e6:
		return fmt.Sprintf("%.2f M %s", v/1e6, unit)
	}
	return fmt.Sprintf("%.0f %s", v, unit)
}

func duration(ms float64) string {
	if ms >= 1e4 {
		return fmt.Sprintf("%.4g s", ms/1e3)
	}
	return fmt.Sprintf("%.4g ms", ms)
}
