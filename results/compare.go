package results

import (
	"errors"
	"fmt"

	"github.com/npu-tune/npu-tune/results/table"
	"github.com/npu-tune/npu-tune/space"
)

// ErrCompare is wrapped where results have nothing to compare.
var ErrCompare = errors.New("nothing to compare")

// Named is a document with the name that a comparison calls it by.
type Named struct {
	Name     string
	Document *Document
}

// identity is what makes two jobs of different results the same work.
type identity struct {
	shape string
	conv  string
	pass  space.Pass
}

func (j *Job) identity() identity {
	id := identity{shape: shape(&j.Layer), pass: j.Pass}
	if c := j.Layer.Conv; c != nil {
		id.conv = fmt.Sprint(*c)
	}
	return id
}

// CompareJobs puts results side by side, a row per job: cycles and DRAM bytes
// of each, and cycles relative to the first. Jobs that a result lacks are left
// empty there.
func CompareJobs(docs []Named) (*table.Table, error) {
	t := &table.Table{Title: "Best schedules side by side (figures of one occurrence)", Columns: []table.Column{
		{Title: "layer", Key: "layer"}, {Title: "×", Key: "count"}, {Title: "pass", Key: "pass"}, {Title: "m×n×k", Key: "shape"},
	}}
	for i, d := range docs {
		t.Columns = append(t.Columns,
			table.Column{Title: d.Name + ": cycles", Key: d.Name + ".cycles"},
			table.Column{Title: "DRAM MB", Key: d.Name + ".dram_bytes", Scale: mega, Digits: 2})
		if i > 0 {
			t.Columns = append(t.Columns, table.Column{Title: "vs " + docs[0].Name, Key: d.Name + ".cycles_to_first", Digits: 3})
		}
	}
	shared := false
	seen := map[identity]bool{}
	for _, from := range docs {
		for i := range from.Document.Jobs {
			j := &from.Document.Jobs[i]
			id := j.identity()
			if seen[id] {
				continue
			}
			seen[id] = true
			row, found := compareRow(docs, j, id)
			shared = shared || found > 1
			t.Add(row...)
		}
	}
	if len(docs) > 1 && !shared {
		return nil, fmt.Errorf("%w: the results have no layer and pass in common", ErrCompare)
	}
	return t, nil
}

func compareRow(docs []Named, j *Job, id identity) (row []any, found int) {
	row = []any{j.Layer.Name, j.Count, j.Pass.String(), shape(&j.Layer)}
	var first any
	for i, d := range docs {
		var cycles, bytes, ratio any
		if o := d.Document.job(id); o != nil && o.Best != nil {
			found++
			cycles, bytes = o.Best.Cost.Cycles, o.Best.Cost.DRAMBytes
			if f, ok := first.(float64); ok && f > 0 {
				ratio = o.Best.Cost.Cycles / f
			}
		}
		row = append(row, cycles, bytes)
		if i == 0 {
			first = cycles
		} else {
			row = append(row, ratio)
		}
	}
	return row, found
}

func (d *Document) job(id identity) *Job {
	for i := range d.Jobs {
		if d.Jobs[i].identity() == id {
			return &d.Jobs[i]
		}
	}
	return nil
}

// CompareTotals puts the totals of results below each other, one row per
// result and group of passes: the best found, and the gain over schedules
// tuned by hand.
func CompareTotals(docs []Named) *table.Table {
	t := &table.Table{Title: "Totals of the best schedules", Columns: []table.Column{
		{Title: "result", Key: "result"},
		{Title: "model", Key: "model"},
		{Title: "NPU", Key: "npu"},
		{Title: "objective", Key: "objective"},
		{Title: "pass", Key: "pass"},
		{Title: "cycles", Key: "cycles"},
		{Title: "ms", Key: "milliseconds", Digits: 3},
		{Title: "DRAM MB", Key: "dram_bytes", Scale: mega, Digits: 1},
		{Title: "dY MB", Key: "dy_bytes", Scale: mega, Digits: 1},
		{Title: "energy mJ", Key: "energy_pj", Scale: milli, Digits: 2},
		{Title: "vs " + docs[0].Name, Key: "cycles_to_first", Digits: 3},
	}}
	for _, n := range docs {
		d := n.Document
		for i := range d.Totals {
			total := &d.Totals[i]
			if total.Schedule != Ours || total.Figures == nil {
				continue
			}
			f := total.Figures
			var ratio any
			if first := docs[0].Document.Total(total.Pass, Ours); first != nil && first.Cycles > 0 {
				ratio = f.Cycles / first.Cycles
			}
			t.Add(n.Name, d.Model.Name, d.NPU.Name, d.Search.Objective, total.Pass,
				f.Cycles, f.Milliseconds, f.DRAMBytes, f.DYBytes, f.EnergyPJ, ratio)
		}
	}
	return t
}
