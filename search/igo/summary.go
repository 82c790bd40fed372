package igo

import "github.com/npu-tune/npu-tune/space"

// result sums up a setting.
func (r *run) result(paper *Paper) Result {
	out := Result{Setting: r.setting, Paper: paper.average(&r.setting), Picks: map[string]int{}}
	chosen, count := r.choices()
	out.Choice = count
	for i := range r.networks {
		out.Networks = append(out.Networks, r.network(paper, &r.networks[i], chosen))
	}
	out.average()
	out.Rules = r.rules()
	for _, l := range r.found {
		if l != nil {
			out.tally(l)
		}
	}
	return out
}

// tally counts a layer's exceptions and partition.
func (out *Result) tally(l *Layer) {
	out.Passes++
	fastest := impossible()
	for b := range NumBaselines {
		fastest = fastest.better(l.bestOfAll(b)).better(l.interleaved(b))
	}
	if fastest.Cycles < l.Optimum.Cycles*(1-rounding) {
		out.Exceptions++
	}
	if l.backward() {
		s := l.sample(Tiled)
		out.Picks[s.best().String()]++
	}
}

// average is over the networks that are done.
func (out *Result) average() {
	n := 0.0
	for i := range out.Networks {
		if w := &out.Networks[i]; w.Done {
			n++
			for b := range NumBaselines {
				for f, v := range w.Ratios.Of(b).fields() {
					*out.Average.Of(b).fields()[f] += *v
				}
			}
		}
	}
	for b := range NumBaselines {
		for _, v := range out.Average.Of(b).fields() {
			*v /= max(n, 1)
		}
	}
}

// sample returns the layer as a sample of partitions.
func (l *Layer) sample(b Baseline) sample {
	s := sample{m: l.Problem.Layer.M, n: l.Problem.Layer.N, k: l.Problem.Layer.K}
	for p := range NumPartitions {
		s.cycles[p] = l.in(b, p, Algorithm1).Cycles
	}
	return s
}

// choices returns what each layer takes with the partition that nearest
// neighbours choose, with the planned and the cached figures; nil where a
// layer is not done or there are too few.
func (r *run) choices() (map[*Layer][NumBaselines]float64, *ChoiceCount) {
	var layers []*Layer
	for _, l := range r.found {
		if l == nil {
			return nil, nil
		}
		if l.backward() && l.interleaved(Tiled).Possible() {
			layers = append(layers, l)
		}
	}
	chosen := map[*Layer][NumBaselines]float64{}
	var count *ChoiceCount
	for b := range NumBaselines {
		samples := make([]sample, len(layers))
		for i, l := range layers {
			samples[i] = l.sample(b)
		}
		c := chooseByNeighbours(samples)
		if c == nil {
			return nil, nil
		}
		for i, l := range layers {
			all := chosen[l]
			all[b] = c.cycles[i]
			chosen[l] = all
		}
		if b == Tiled {
			count = &ChoiceCount{Layers: c.Layers, Accuracy: c.Accuracy}
		}
	}
	return chosen, count
}

// sum adds up figures of a network's passes.
func (r *run) sum(n *passes, f func(*Layer) Figures) Figures {
	var total Figures
	for _, i := range n.order {
		total = total.plus(f(r.found[i]).times(n.layers[i]))
	}
	return total
}

// done reports whether all passes of a network are.
func (r *run) done(n *passes) bool {
	for _, i := range n.order {
		if r.found[i] == nil {
			return false
		}
	}
	return true
}

// network sums up a network.
func (r *run) network(paper *Paper, n *passes, chosen map[*Layer][NumBaselines]float64) Network {
	out := Network{Name: n.name, Zoo: n.zoo, Paper: paper.network(n.name, &r.setting)}
	if !r.done(n) {
		return out
	}
	out.Done = true
	cycles := func(f func(*Layer) Figures) float64 { return r.sum(n, f).Cycles }
	out.OptimumCycles = cycles(func(l *Layer) Figures { return l.Optimum })
	for b := range NumBaselines {
		base := cycles(func(l *Layer) Figures { return l.Baseline[b] })
		*[NumBaselines]*float64{&out.TiledCycles, &out.ConventionalCycles, &out.CachedCycles}[b] = base
		*out.Ratios.Of(b) = Ratio{
			Interleaving:  cycles(func(l *Layer) Figures { return l.interleaved(b) }),
			Rearrangement: cycles(func(l *Layer) Figures { return l.ordered(b, Algorithm1) }),
			BestOrder:     cycles(func(l *Layer) Figures { return l.bestOrder(b) }),
			Partitioning:  cycles(func(l *Layer) Figures { return l.partitioned(b, Algorithm1) }),
			KNN:           cycles(guess(b, chosen)),
			BestOfAll:     cycles(func(l *Layer) Figures { return l.bestOfAll(b) }),
			Sequential:    cycles(func(l *Layer) Figures { return l.BestSequential }),
			Optimum:       out.OptimumCycles,
			Bound:         cycles(func(l *Layer) Figures { return Figures{Cycles: l.Bound} }),
		}
		for _, v := range out.Ratios.Of(b).fields() {
			*v /= base
		}
	}
	out.DY = r.shares(paper, n)
	out.Gain = r.gain(n)
	return out
}

// guess returns the figures with the partition of nearest neighbours; 0 where
// nothing could be guessed.
func guess(b Baseline, chosen map[*Layer][NumBaselines]float64) func(*Layer) Figures {
	return func(l *Layer) Figures {
		if chosen == nil {
			return Figures{}
		}
		if c, ok := chosen[l]; ok {
			return Figures{Cycles: c[b]}
		}
		return l.Baseline[b]
	}
}

// shares sums up dY's traffic in the backward passes.
func (r *run) shares(paper *Paper, n *passes) DYShares {
	backward := func(f func(*Layer) Figures) Figures {
		return r.sum(n, func(l *Layer) Figures {
			if l.Problem.Pass == space.Forward {
				return Figures{}
			}
			return f(l)
		})
	}
	share := func(b Baseline) DYShare {
		f := backward(func(l *Layer) Figures { return l.Baseline[b] })
		return DYShare{float64(f.DYRead) / float64(f.Read+f.Write), float64(f.DYRead) / float64(f.Read)}
	}
	d := DYShares{Tiled: share(Tiled), Conventional: share(Conventional), Cached: share(Cached)}
	before := backward(func(l *Layer) Figures { return l.Baseline[Tiled] }).DYRead
	second := backward(func(l *Layer) Figures { return Figures{DYRead: l.SecondDY} }).DYRead
	removed := func(f func(*Layer) Figures) float64 {
		return float64(before-backward(f).DYRead) / float64(max(second, 1))
	}
	d.RemovedByTechniques = removed(func(l *Layer) Figures { return l.partitioned(Tiled, Algorithm1) })
	d.RemovedByOptimum = removed(func(l *Layer) Figures { return l.Optimum })
	if r.setting.Sweep == Main && r.setting.Cores == 1 {
		bars := paper.Networks[n.name]
		get := func(key string) *float64 {
			if v, ok := bars[key]; ok {
				return &v
			}
			return nil
		}
		d.PaperRemoved = get("second_dy_read_removed_" + r.setting.NPU)
		d.PaperOfTraffic = get("dy_share_of_backward_traffic_read_write_" + r.setting.NPU)
		d.PaperOfReads = get("dy_share_of_backward_reads_" + r.setting.NPU)
	}
	return d
}

// gain takes a network's gain apart, nil where the setting is not detailed.
func (r *run) gain(n *passes) *Gain {
	if !r.setting.detailed() {
		return nil
	}
	var at [numStages]float64
	for i := range numStages {
		at[i] = r.sum(n, func(l *Layer) Figures { return l.Stages[i] }).Cycles
	}
	part := func(stage int) float64 { return (at[stage-1] - at[stage]) / at[byHand] }
	return &Gain{part(byTiling), part(byPartition), part(byTurns), part(byGranule)}
}

// rules holds the rules for the order against the best of three.
func (r *run) rules() []RuleResult {
	list := []struct {
		name string
		of   func(*Layer) Figures
	}{
		{"algorithm 1", func(l *Layer) Figures { return l.ordered(Tiled, Algorithm1) }},
		{"prose", func(l *Layer) Figures { return l.ordered(Tiled, Prose) }},
		{"best of three", func(l *Layer) Figures { return l.bestOrder(Tiled) }},
		{"optimum", func(l *Layer) Figures {
			if l.backward() {
				return l.Optimum
			}
			return l.Baseline[Tiled]
		}},
	}
	var out []RuleResult
	for _, rule := range list {
		x := RuleResult{Rule: rule.name}
		for _, l := range r.found {
			if l != nil && l.backward() {
				x.Layers++
				if rule.of(l).Cycles <= l.bestOrder(Tiled).Cycles*(1+rounding) {
					x.Hits++
				}
			}
		}
		r.means(&x, rule.of)
		out = append(out, x)
	}
	return out
}

// means fills a rule's means over the networks that are done.
func (r *run) means(x *RuleResult, of func(*Layer) Figures) {
	n := 0.0
	gradients := func(f func(*Layer) Figures) func(*Layer) Figures {
		return func(l *Layer) Figures {
			if !l.backward() {
				return Figures{}
			}
			return f(l)
		}
	}
	for i := range r.networks {
		w := &r.networks[i]
		if !r.done(w) {
			continue
		}
		n++
		x.Tiled += r.sum(w, of).Cycles / r.sum(w, func(l *Layer) Figures { return l.Baseline[Tiled] }).Cycles
		x.OverOptimum += r.sum(w, gradients(of)).Cycles / r.sum(w, gradients(func(l *Layer) Figures { return l.Optimum })).Cycles
	}
	x.Tiled /= max(n, 1)
	x.OverOptimum /= max(n, 1)
}
