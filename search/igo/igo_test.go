package igo

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/evaluator/simulator"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// TestAlgorithm1 has the paper's algorithm and its explanation, which differ.
func TestAlgorithm1(t *testing.T) {
	for _, c := range []struct {
		m, n, k             int64
		algorithm1, inProse Order
	}{
		{100, 100, 100, Interleaving, Interleaving},
		{399, 100, 100, Interleaving, Interleaving},
		{400, 100, 100, DXMajor, DXMajor},
		{100, 400, 100, DXMajor, DWMajor}, // dX has 10,000 elements, dW 40,000
		{100, 100, 400, DWMajor, DWMajor},
		{200, 100, 400, DWMajor, DXMajor}, // dX has 80,000, dW 40,000
		{100, 400, 400, DXMajor, DWMajor},
	} {
		if got := Algorithm1(c.m, c.n, c.k); got != c.algorithm1 {
			t.Errorf("%v: algorithm 1 chooses %s, want %s", c, got, c.algorithm1)
		}
		if got := Prose(c.m, c.n, c.k); got != c.inProse {
			t.Errorf("%v: the prose chooses %s, want %s", c, got, c.inProse)
		}
	}
}

// TestPaper holds the averages that the text prints to the bars that were read
// off.
func TestPaper(t *testing.T) {
	p, err := ReadPaper()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		npu   string
		cores int64
		want  float64
	}{{Small, 1, 0.707}, {Large, 1, 0.855}, {Large, 2, 0.776}, {Large, 4, 0.763}, {Large, 8, 0.723}} {
		s, err := newSetting(c.npu, c.cores, 8, 1, Main)
		if err != nil {
			t.Fatal(err)
		}
		var sum float64
		for _, n := range NetworkNames() {
			sum += *p.network(n, &s).Partitioning
		}
		mean := sum / float64(len(NetworkNames()))
		if got := *p.average(&s).Partitioning; got != c.want || math.Abs(mean-got) > 0.0025 {
			t.Errorf("%s, %d cores: text %g, want %g; bars %.4f", c.npu, c.cores, got, c.want, mean)
		}
	}
}

// problem returns a pass of a layer on the small NPU.
func problem(t *testing.T, l models.Layer, pass space.Pass, npu string, cores int64) *space.Problem {
	t.Helper()
	s, err := newSetting(npu, cores, 8, 1, Main)
	if err != nil {
		t.Fatal(err)
	}
	return &space.Problem{Layer: l, HW: s.params, Pass: pass}
}

func TestCut(t *testing.T) {
	conv := models.Conv{H: 7, W: 7, P: 7, Q: 7, R: 3, S: 3, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1}
	l := models.Layer{M: 3 * 49, N: 5, K: 9, Conv: &conv}
	for _, c := range []struct {
		partition Partition
		want      [][4]int64 // m, n, k, count
	}{
		{WeightSharing, [][4]int64{{2 * 49, 5, 9, 1}, {49, 5, 9, 1}}},
		{InputSharing, [][4]int64{{147, 3, 9, 1}, {147, 2, 9, 1}}},
		{DYSharing, nil}, // one channel
	} {
		var got [][4]int64
		for _, p := range c.partition.cut(problem(t, l, space.Backward, Small, 1)) {
			if err := p.problem.Check(); err != nil {
				t.Error(err)
			}
			got = append(got, [4]int64{p.problem.Layer.M, p.problem.Layer.N, p.problem.Layer.K, p.count})
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.partition, d)
		}
	}
	even := DYSharing.cut(problem(t, models.Layer{M: 4, N: 4, K: 8}, space.Backward, Small, 1))
	if len(even) != 1 || even[0].count != 2 || even[0].problem.Layer.K != 4 {
		t.Errorf("halves of 8 are %+v", even)
	}
}

// TestSums: of two parts the first writes 4 bytes of each sum instead of 2, and
// the second reads 4.
func TestSums(t *testing.T) {
	p := problem(t, models.Layer{M: 10, N: 20, K: 30, Batch: 3}, space.Backward, Small, 1)
	for _, c := range []struct {
		partition Partition
		elements  int64
	}{{WeightSharing, 600}, {InputSharing, 300}, {DYSharing, 0}} {
		got := c.partition.sums(p, 2)
		want := Figures{Read: 3 * 4 * c.elements, Write: 3 * 2 * c.elements}
		if c.elements > 0 {
			want.Cycles = 3 * (100 + float64(6*c.elements)/22)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", c.partition, d)
		}
	}
}

// TestCachedAgainstPlanned: no technique, planned or with the SPM as a cache,
// takes less than the optimum; where all fits a cache loads dY once.
func TestCachedAgainstPlanned(t *testing.T) {
	for _, c := range []struct {
		name    string
		m, n, k int64
	}{{"fits", 45, 45, 45}, {"large", 700, 300, 500}, {"long", 5000, 64, 64}} {
		for _, npu := range []struct {
			name  string
			cores int64
		}{{Small, 1}, {Large, 2}} {
			p := problem(t, models.Layer{Name: c.name, M: c.m, N: c.n, K: c.k}, space.Backward, npu.name, npu.cores)
			l, err := studyLayer(context.Background(), p, true)
			if err != nil {
				t.Fatal(err)
			}
			checkLayer(t, l)
			if c.name == "fits" && npu.cores == 1 && l.Cached[l.unparted(Cached)][DXMajor].DYRead != 2*45*45 {
				t.Errorf("%s: interleaved, dY is loaded %d bytes, want once", npu.name, l.Cached[l.unparted(Cached)][DXMajor].DYRead)
			}
		}
	}
}

// checkLayer holds what must be of every layer.
func checkLayer(t *testing.T, l *Layer) {
	t.Helper()
	for i := 1; i < len(l.Stages) && l.Problem.HW.Cores <= 1; i++ {
		if l.Stages[i].Cycles > l.Stages[i-1].Cycles*(1+rounding) {
			t.Errorf("%s: stages %+v do not fall", l.Problem.Layer.Name, l.Stages)
		}
	}
	for b := range NumBaselines {
		for _, f := range []Figures{l.Baseline[b], l.interleaved(b), l.ordered(b, Algorithm1), l.partitioned(b, Algorithm1), l.bestOfAll(b), l.BestSequential} {
			if !f.Possible() || f.Cycles < l.Optimum.Cycles*(1-rounding) {
				t.Errorf("%s: %g cycles, the optimum takes %g", l.Problem.Layer.Name, f.Cycles, l.Optimum.Cycles)
			}
		}
	}
	if l.Bound > l.Optimum.Cycles*(1+rounding) {
		t.Errorf("%s: the bound is %g, the optimum %g", l.Problem.Layer.Name, l.Bound, l.Optimum.Cycles)
	}
}

// TestTraditionalWalks: both traditional orders walk dY by rows for dX and by
// columns for dW.
func TestTraditionalWalks(t *testing.T) {
	p := problem(t, models.Layer{M: 6, N: 8, K: 4}, space.Backward, Small, 1)
	for _, orders := range traditional {
		s := cacheRun{p, [space.NumDims]uint16{1, 1, 1}, Interleaving}.schedule([space.NumDims]int64{2, 2, 2}, &orders)
		first := map[space.Op][][2]int64{}
		for op := range simulator.Alternating(p, &s) {
			at := [2]int64{op.Index[space.M], op.Index[space.N]}
			if !slices.Contains(first[op.Op], at) {
				first[op.Op] = append(first[op.Op], at)
			}
		}
		if !slices.IsSortedFunc(first[space.DX], func(a, b [2]int64) int { return slices.Compare(a[:], b[:]) }) {
			t.Errorf("%v: dx walks dY as %v, want by rows", orders, first[space.DX])
		}
		if !slices.IsSortedFunc(first[space.DW], func(a, b [2]int64) int {
			return slices.Compare([]int64{a[1], a[0]}, []int64{b[1], b[0]})
		}) {
			t.Errorf("%v: dw walks dY as %v, want by columns", orders, first[space.DW])
		}
	}
}

func samples(n int) []sample {
	var list []sample
	for i := range int64(n) {
		s := sample{m: 1 + i*7%40, n: 1 + i*11%50, k: 1 + i*13%60}
		s.cycles = [NumPartitions]float64{math.Inf(1), float64(s.m), float64(s.n), float64(s.k)}
		list = append(list, s)
	}
	return list
}

// TestNeighbours: the same samples give the same choice; where shape decides
// it is mostly right, and never better than the best.
func TestNeighbours(t *testing.T) {
	list := samples(80)
	a, b := chooseByNeighbours(list), chooseByNeighbours(list)
	if d := cmp.Diff(a, b, cmp.AllowUnexported(Choice{})); d != "" {
		t.Error(d)
	}
	if a.Accuracy < 0.6 || a.Accuracy > 1 || a.Layers != 80 {
		t.Errorf("accuracy of %d layers is %g", a.Layers, a.Accuracy)
	}
	for i, c := range a.cycles {
		if least := list[i].cycles[list[i].best()]; c < least*(1-rounding) {
			t.Errorf("sample %d takes %g, its best partition %g", i, c, least)
		}
	}
	if chooseByNeighbours(samples(4)) != nil {
		t.Error("four samples are enough to hold out a fifth")
	}
}

// TestRun runs the smallest networks: no figure beats the optimum, whatever the
// number of workers.
func TestRun(t *testing.T) {
	run := func(plan Plan) *Study {
		plan.NoSweeps = true
		s, err := Run(context.Background(), plan)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	small := Plan{NPUs: []string{Small}, Networks: []string{"ncf", "bert"}, Workers: 1}
	a := run(small)
	small.Workers = 3
	b := run(small)
	one, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	other, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	if string(one) != string(other) {
		t.Error("the number of workers changes the study")
	}
	large := run(Plan{NPUs: []string{Large}, Networks: []string{"ncf"}, Cores: []int64{2, 4}})
	if violations := append(a.Violations, large.Violations...); len(violations) > 0 || a.Partial {
		t.Errorf("partial %v, violations %v", a.Partial, violations)
	}
	for _, r := range append(a.Results, large.Results...) {
		for _, n := range r.Networks {
			g := n.Gain
			saved := 1 - n.Ratios.Conventional.Optimum
			if all := g.Tiling + g.Partition + g.Interleaving + g.Granularity; math.Abs(all-saved) > rounding {
				t.Errorf("%s %s: the parts of the gain add up to %g, want %g", &r.Setting, n.Name, all, saved)
			}
		}
	}
}

// TestPartial: a study that is stopped is marked so.
func TestPartial(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	plan := Plan{Networks: []string{"ncf", "resnet50"}, Cores: []int64{1}, NoSweeps: true, Workers: 1}
	plan.Progress = func(done, _ int) {
		if done == 8 { // ncf has eight passes
			cancel()
		}
	}
	s, err := Run(ctx, plan)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Partial {
		t.Error("the study is not marked partial")
	}
	for _, r := range s.Results {
		for _, n := range r.Networks {
			if n.Done && n.Name == "resnet50" {
				t.Errorf("%s: %s is marked done", &r.Setting, n.Name)
			}
		}
	}
}
