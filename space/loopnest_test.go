package space_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/space"
)

var update = flag.Bool("update", false, "rewrite the golden loop nests")

func TestLoopNest(t *testing.T) {
	for _, c := range []struct {
		name     string
		m, n, k  int64
		schedule string
	}{
		{"forward", 100, 64, 200, `{"pass":"forward","fwd":{"tile":{"m":45,"n":64,"k":50},"order":["m","n","k"],
			"hold":{"x":3,"w":0,"y":2},"dataflow":"os"}}`},
		{"split-reduction", 100, 64, 200, `{"pass":"dw","dw":{"tile":{"m":25,"n":64,"k":50},"order":["m","n","k"],
			"hold":{"x":3,"dy":1,"dw":3},"dataflow":"is","cores":{"m":2,"n":1,"k":1}}}`},
		{"two-runs", 100, 64, 200, `{"pass":"backward","shared":[],
			"dx":{"tile":{"m":50,"n":32,"k":40},"order":["m","n","k"],"hold":{"dy":2,"w":3,"dx":3},"dataflow":"ws"},
			"dw":{"tile":{"m":25,"n":64,"k":40},"order":["k","n","m"],"hold":{"x":3,"dy":3,"dw":2},"dataflow":"os"}}`},
		{"one-run", 100, 64, 200, `{"pass":"backward","shared":[],
			"dx":{"tile":{"m":50,"n":32,"k":40},"order":["m","n","k"],"hold":{"dy":0,"w":3,"dx":3},"dataflow":"ws"},
			"dw":{"tile":{"m":50,"n":32,"k":20},"order":["k","n","m"],"hold":{"x":3,"dy":0,"dw":2},"dataflow":"os"}}`},
		{"strips", 100, 64, 200, `{"pass":"backward","shared":["m"],
			"dx":{"tile":{"m":50,"n":32,"k":40},"order":["m","n","k"],"hold":{"dy":1,"w":0,"dx":1},"dataflow":"ws"},
			"dw":{"tile":{"m":50,"n":32,"k":200},"order":["m","k","n"],"hold":{"x":2,"dy":1,"dw":0},"dataflow":"os"}}`},
		{"bursts", 100, 64, 200, `{"pass":"backward","shared":["k","m","n"],"burst":3,
			"dx":{"tile":{"m":50,"n":10,"k":40},"order":["k","m","n"],"hold":{"dy":3,"w":1,"dx":2},"dataflow":"ws","cores":{"m":2,"n":1,"k":1}},
			"dw":{"tile":{"m":50,"n":10,"k":40},"order":["k","m","n"],"hold":{"x":2,"dy":3,"dw":3},"dataflow":"is","cores":{"m":2,"n":1,"k":1}}}`},
	} {
		p := goldenCases(t)[0].Problem
		p.Layer.Conv, p.Layer.M, p.Layer.N, p.Layer.K = nil, c.m, c.n, c.k
		var s space.Schedule
		if err := json.Unmarshal([]byte(c.schedule), &s); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		p.Pass = s.Pass
		if err := p.Legal(&s); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got, file := p.LoopNest(&s), filepath.Join("testdata", c.name+".loopnest")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v (write it with -update)", err)
		}
		if d := cmp.Diff(string(want), got); d != "" {
			t.Errorf("%s:\n%s", c.name, d)
		}
	}
}
