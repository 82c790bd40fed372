package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/npu-tune/npu-tune/results/table"
	"github.com/npu-tune/npu-tune/search/igo"
)

// printStudy writes a study as tables, or as JSON with raw figures.
func printStudy(w io.Writer, s *igo.Study, format table.Format) error {
	if format == table.JSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(s)
	}
	if s.Partial {
		if _, err := fmt.Fprint(w, "PARTIAL: stopped before all layers were done; networks that were not finished are left out.\n\n"); err != nil {
			return err
		}
	}
	for i, t := range studyTables(s) {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := t.Write(w, format); err != nil {
			return err
		}
	}
	return nil
}

// studyTables lists the tables: the averages, then every network with each
// baseline, then what explains them.
func studyTables(s *igo.Study) []*table.Table {
	list := []*table.Table{averagesTable(s)}
	for i := range s.Results {
		if r := &s.Results[i]; r.Sweep == igo.Main {
			for b := range igo.NumBaselines {
				list = append(list, networksTable(r, b))
			}
		}
	}
	list = append(list, rulesTable(s), choiceTable(s), gainTable(s), dyTable(s))
	for _, sweep := range []igo.Sweep{igo.BandwidthSweep, igo.BatchSweep} {
		if t := sweepTable(s, sweep); len(t.Rows) > 0 {
			list = append(list, t)
		}
	}
	return append(list, cellsTable(s))
}

// ratio is a column of normalized times.
func ratio(title string) table.Column { return table.Column{Title: title, Key: title, Digits: 3} }

func name(title string) table.Column { return table.Column{Title: title, Key: title} }

// paperCell returns a cell of a figure that the paper may not print.
func paperCell(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}

// positive returns a cell of a figure that is 0 where it is not known.
func positive(v float64) any {
	if v == 0 {
		return nil
	}
	return v
}

func averagesTable(s *igo.Study) *table.Table {
	t := &table.Table{
		Title: "Time of forward and backward, normalized to a baseline: averages over the networks",
		Columns: []table.Column{name("setting"), name("baseline"), ratio("paper, all techniques"), ratio("interleaving"), ratio("+ rearrangement"),
			ratio("+ partitioning"), ratio("with k-NN"), ratio("best order and partition"), ratio("best-sequential"), ratio("optimum"), ratio("bound")},
	}
	for i := range s.Results {
		r := &s.Results[i]
		if r.Sweep != igo.Main || !anyDone(r) {
			continue
		}
		for b := range igo.NumBaselines {
			x := r.Average.Of(b)
			t.Add(r.String(), b.String(), paperCell(r.Paper.Partitioning), x.Interleaving, x.Rearrangement, x.Partitioning, positive(x.KNN), x.BestOfAll, x.Sequential, x.Optimum, x.Bound)
		}
	}
	return t
}

func anyDone(r *igo.Result) bool {
	for i := range r.Networks {
		if r.Networks[i].Done {
			return true
		}
	}
	return false
}

func networksTable(r *igo.Result, b igo.Baseline) *table.Table {
	t := &table.Table{
		Title: fmt.Sprintf("%s: time normalized to %s", &r.Setting, b),
		Columns: []table.Column{name("network"), ratio("paper: interleaving"), ratio("ours"), ratio("paper: + rearrangement"), ratio("ours"),
			ratio("paper: + partitioning"), ratio("ours"), ratio("with k-NN"), ratio("best order"), ratio("best order and partition"),
			ratio("best-sequential"), ratio("optimum"), ratio("bound")},
	}
	row := func(name string, p igo.Printed, x *igo.Ratio) {
		t.Add(name, paperCell(p.Interleaving), x.Interleaving, paperCell(p.Rearrangement), x.Rearrangement, paperCell(p.Partitioning), x.Partitioning,
			positive(x.KNN), x.BestOrder, x.BestOfAll, x.Sequential, x.Optimum, x.Bound)
	}
	for i := range r.Networks {
		if n := &r.Networks[i]; n.Done {
			row(n.Zoo, n.Paper, n.Ratios.Of(b))
		} else {
			t.Add(n.Zoo, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil)
		}
	}
	if anyDone(r) {
		row("average", r.Paper, r.Average.Of(b))
	}
	return t
}

func rulesTable(s *igo.Study) *table.Table {
	t := &table.Table{
		Title: "Rules for the order (no partitions): how often they pick the best of the three, and what they lose",
		Columns: []table.Column{name("setting"), name("rule"), name("distinct layers"), name("best of three"), ratio("over tiled"),
			ratio("paper"), ratio("backward over the optimum's")},
	}
	for i := range s.Results {
		r := &s.Results[i]
		if r.Sweep != igo.Main {
			continue
		}
		for i, x := range r.Rules {
			var hits any = int64(x.Hits)
			if x.Rule == "optimum" {
				hits = nil
			}
			t.Add(r.String(), x.Rule, int64(x.Layers), hits, positive(x.Tiled), paperRule(s.Printed, r, i), positive(x.OverOptimum))
		}
	}
	return t
}

// paperRule returns the paper's figure for a rule, by its place: algorithm 1 and
// the best of three on one core.
func paperRule(p *igo.Paper, r *igo.Result, rule int) any {
	figures, ok := p.Orders[r.NPU]
	if !ok || r.Cores > 1 || rule != 0 && rule != 2 {
		return nil
	}
	return figures[rule/2]
}

func choiceTable(s *igo.Study) *table.Table {
	t := &table.Table{
		Title: "Partitions: distinct layers by the fastest one (order by algorithm 1), and how often nearest neighbours choose it",
		Columns: []table.Column{name("setting"), name("whole"), name("weight-sharing"), name("ifmap-sharing"), name("dY-sharing"),
			{Title: "k-NN accuracy %", Key: "accuracy", Scale: 0.01, Digits: 1}, {Title: "paper", Key: "paper", Scale: 0.01, Digits: 1},
			ratio("tiled: with k-NN"), ratio("paper"), ratio("tiled: with the fastest"), ratio("paper"),
			name("passes where parts beat the optimum"), name("of passes")},
	}
	for i := range s.Results {
		r := &s.Results[i]
		if r.Sweep != igo.Main {
			continue
		}
		var accuracy any
		if r.Choice != nil {
			accuracy = r.Choice.Accuracy
		}
		row := []any{r.String()}
		for p := range igo.NumPartitions {
			row = append(row, int64(r.Picks[p.String()]))
		}
		var paper [3]any
		if r.NPU == igo.Large && r.Cores == 2 {
			c := &s.Printed.Choice
			paper = [3]any{c.Accuracy, c.KNN, c.Best}
		}
		x := &r.Average.Tiled
		t.Add(append(row, accuracy, paper[0], positive(x.KNN), paper[1], positive(x.Partitioning), paper[2], int64(r.Exceptions), int64(r.Passes))...)
	}
	return t
}

func gainTable(s *igo.Study) *table.Table {
	percent := func(title string) table.Column {
		return table.Column{Title: title + " %", Key: title, Scale: 0.01, Digits: 1}
	}
	t := &table.Table{
		Title: "Where the optimum's gain over conventional comes from, in % of conventional's time",
		Columns: []table.Column{name("setting"), name("network"), percent("tiling"), percent("partition"), percent("interleaving"),
			percent("granularity"), percent("all")},
	}
	for i := range s.Results {
		r := &s.Results[i]
		var sum igo.Gain
		var n float64
		add := func(name string, g igo.Gain) {
			t.Add(r.String(), name, g.Tiling, g.Partition, g.Interleaving, g.Granularity, g.Tiling+g.Partition+g.Interleaving+g.Granularity)
		}
		for _, w := range r.Networks {
			if w.Gain == nil {
				continue
			}
			n++
			sum = igo.Gain{Tiling: sum.Tiling + w.Gain.Tiling, Partition: sum.Partition + w.Gain.Partition,
				Interleaving: sum.Interleaving + w.Gain.Interleaving, Granularity: sum.Granularity + w.Gain.Granularity}
			add(w.Zoo, *w.Gain)
		}
		if n > 0 {
			add("average", igo.Gain{Tiling: sum.Tiling / n, Partition: sum.Partition / n, Interleaving: sum.Interleaving / n, Granularity: sum.Granularity / n})
		}
	}
	return t
}

func dyTable(s *igo.Study) *table.Table {
	percent := func(title string) table.Column {
		return table.Column{Title: title + " %", Key: title, Scale: 0.01, Digits: 0}
	}
	t := &table.Table{
		Title: "dY's loads as a part of backward traffic, and what is removed of the second gradient's loads",
		Columns: []table.Column{name("setting"), name("network"), percent("paper: of traffic"), percent("tiled"), percent("conventional"), percent("cached"),
			percent("paper: of reads"), percent("tiled"), percent("conventional"), percent("cached"),
			percent("paper: removed"), percent("techniques"), percent("optimum")},
	}
	for i := range s.Results {
		r := &s.Results[i]
		for _, w := range r.Networks {
			if d := &w.DY; w.Done && r.Sweep == igo.Main && r.Cores == 1 {
				t.Add(r.String(), w.Zoo, paperCell(d.PaperOfTraffic), d.Tiled.OfTraffic, d.Conventional.OfTraffic, d.Cached.OfTraffic,
					paperCell(d.PaperOfReads), d.Tiled.OfReads, d.Conventional.OfReads, d.Cached.OfReads,
					paperCell(d.PaperRemoved), d.RemovedByTechniques, d.RemovedByOptimum)
			}
		}
	}
	return t
}

// sweepTable shows other bandwidths or batches of the large NPU with one core,
// with the usual ones for comparison.
func sweepTable(s *igo.Study, sweep igo.Sweep) *table.Table {
	t := &table.Table{
		Title: fmt.Sprintf("Large NPU, one core, by %s: time normalized to tiled and to conventional", sweep),
		Columns: []table.Column{name("setting"), name("network"), ratio("paper, all techniques"), ratio("tiled: all techniques"), ratio("best-sequential"), ratio("optimum"),
			ratio("conventional: all techniques"), ratio("best-sequential"), ratio("optimum")},
	}
	found := false
	for i := range s.Results {
		found = found || s.Results[i].Sweep == sweep
	}
	for i := range s.Results {
		r := &s.Results[i]
		usual := r.Sweep == igo.Main && r.NPU == igo.Large && r.Cores == 1
		if !found || !usual && r.Sweep != sweep {
			continue
		}
		row := func(name string, p igo.Printed, x *igo.Ratios) {
			t.Add(r.String(), name, paperCell(p.Partitioning), x.Tiled.Partitioning, x.Tiled.Sequential, x.Tiled.Optimum,
				x.Conventional.Partitioning, x.Conventional.Sequential, x.Conventional.Optimum)
		}
		for j := range r.Networks {
			if n := &r.Networks[j]; n.Done {
				row(n.Zoo, n.Paper, &n.Ratios)
			}
		}
		if anyDone(r) {
			row("average", r.Paper, &r.Average)
		}
	}
	return t
}

func cellsTable(s *igo.Study) *table.Table {
	t := &table.Table{
		Title: "Cells (network and setting) where the optimum is at most the paper's figure for all its techniques",
		Columns: []table.Column{name("baseline"), name("at most the paper's"), name("even the bound is above it"), name("neither"), name("cells"),
			name("techniques below the optimum")},
	}
	for _, c := range s.Cells {
		t.Add(c.Baseline, int64(c.AtMost), int64(c.Unreachable), int64(c.All-c.AtMost-c.Unreachable), int64(c.All), int64(len(s.Violations)))
	}
	return t
}
