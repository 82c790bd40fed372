package export_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/evaluator/cases/golden"
	"github.com/npu-tune/npu-tune/evaluator/simulator/gen"
	"github.com/npu-tune/npu-tune/results/export"
)

// mapping is what Timeloop reads of a map.yaml.
type mapping struct {
	Mapping []struct {
		Target      string   `yaml:"target"`
		Type        string   `yaml:"type"`
		Factors     string   `yaml:"factors"`
		Permutation string   `yaml:"permutation"`
		Keep        []string `yaml:"keep"`
		Bypass      []string `yaml:"bypass"`
	} `yaml:"mapping"`
}

type loop struct {
	dim   string
	steps int64
}

// outside lists the loops outside the level that keeps a tensor, outermost
// first, without those of one step, and the elements of a tile of it.
func (m *mapping) outside(t *testing.T, tensor string, dims [2]string) (loops []loop, tile int64) {
	t.Helper()
	kept := ""
	for _, d := range m.Mapping {
		for _, k := range d.Keep {
			if k == tensor {
				kept = d.Target
			}
		}
	}
	tile = 1
	inside := false
	for _, d := range m.Mapping {
		if d.Type != "temporal" {
			continue
		}
		inside = inside || d.Target == kept
		factors := map[string]int64{}
		for _, f := range strings.Fields(d.Factors) {
			name, value, _ := strings.Cut(f, "=")
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				t.Fatalf("factor %q: %v", f, err)
			}
			factors[name] = n
		}
		for i := len(d.Permutation) - 1; i >= 0; i-- {
			dim := d.Permutation[i : i+1]
			if !inside && factors[dim] > 1 {
				loops = append(loops, loop{dim, factors[dim]})
			}
			if inside && (dim == dims[0] || dim == dims[1]) {
				tile *= factors[dim]
			}
		}
	}
	return loops, tile
}

// fills counts the elements that a level is filled with: its tile, times the
// loops from the outermost to the innermost that belongs to the tensor.
func fills(loops []loop, tile int64, dims [2]string) int64 {
	last := -1
	for i, l := range loops {
		if l.dim == dims[0] || l.dim == dims[1] {
			last = i
		}
	}
	for _, l := range loops[:last+1] {
		tile *= l.steps
	}
	return tile
}

// TestTimeloopTraffic holds mappings to what Timeloop's model counted of them:
// the reuse that it sees in their loops.
func TestTimeloopTraffic(t *testing.T) {
	list, err := golden.Timeloop()
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		c := &list[i]
		files, err := export.Timeloop(&c.Problem, &c.Schedule)
		if err != nil {
			t.Fatal(err)
		}
		var m mapping
		if err := yaml.UnmarshalWithOptions(files[0].Mapping, &m, yaml.Strict()); err != nil {
			t.Fatal(err)
		}
		var got golden.Traffic
		for _, x := range []struct {
			name string
			dims [2]string
			at   *int64
		}{{"X", [2]string{"M", "K"}, &got.X}, {"W", [2]string{"K", "N"}, &got.W}, {"Y", [2]string{"M", "N"}, &got.YWrite}} {
			loops, tile := m.outside(t, x.name, x.dims)
			*x.at = fills(loops, tile, x.dims)
		}
		got.YRead = got.YWrite - c.Problem.Layer.M*c.Problem.Layer.N
		if d := cmp.Diff(c.Want, got); d != "" {
			t.Errorf("case %d: %s\n%s", i, d, files[0].Mapping)
		}
	}
}

// Whatever the schedule, the files are YAML, and the factors of each dimension
// make up its extent.
func TestTimeloopFiles(t *testing.T) {
	for seed := range uint64(300) {
		p, s := gen.Case(gen.Seeded(seed), gen.Options{MaxDim: 12})
		files, err := export.Timeloop(&p, &s)
		if err != nil {
			t.Fatal(err)
		}
		if len(files) != len(s.Pass.Ops()) {
			t.Fatalf("%d operations, want %d", len(files), len(s.Pass.Ops()))
		}
		for _, f := range files {
			var m mapping
			if err := yaml.UnmarshalWithOptions(f.Mapping, &m, yaml.Strict()); err != nil {
				t.Fatal(err)
			}
			var any map[string]any
			for _, text := range [][]byte{f.Problem, f.Arch} {
				if err := yaml.Unmarshal(text, &any); err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
			}
			extents := map[string]int64{"M": 1, "N": 1, "K": 1}
			for _, d := range m.Mapping {
				for _, factor := range strings.Fields(d.Factors) {
					name, value, _ := strings.Cut(factor, "=")
					whole, rest, ragged := strings.Cut(value, ",")
					n, _ := strconv.ParseInt(whole, 10, 64)
					last := n
					if ragged {
						last, _ = strconv.ParseInt(rest, 10, 64)
					}
					extents[name] = (extents[name]-1)*n + last
				}
			}
			o := &s.Ops[f.Op]
			want := map[string]int64{"M": p.Share(o, 0), "N": p.Share(o, 1), "K": p.Share(o, 2)}
			if d := cmp.Diff(want, extents); d != "" {
				t.Errorf("seed %d: %s\n%s", seed, d, f.Mapping)
			}
		}
	}
}
