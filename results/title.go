package results

import (
	"fmt"
	"strings"
)

// Title says in a line what was tuned, on what and for what.
func (d *Document) Title() string {
	parts := []string{d.Model.Name}
	for _, size := range []struct {
		name string
		n    int64
	}{{"batch", d.Model.Batch}, {"image", d.Model.Image}, {"sequence", d.Model.Seq}} {
		if size.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", size.name, size.n))
		}
	}
	title := fmt.Sprintf("%s; %s; %s, least %s", strings.Join(parts, ", "), d.NPU.String(), d.Search.Pass, d.Search.Objective)
	if !d.Proven() {
		title += "; NOT PROVEN"
	}
	return title
}
