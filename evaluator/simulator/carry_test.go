package simulator

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// TestPlantedNumbers changes one number on its way and wants the comparison to
// find it, of every operand and in every stage of its way.
func TestPlantedNumbers(t *testing.T) {
	p := &space.Problem{Layer: models.Layer{M: 5, N: 4, K: 6}, Pass: space.Forward}
	p.HW = hardware.Params{Rows: 2, Cols: 2, BytesPerCycle: 1, BytesIn: 1, BytesOut: 1, BytesAcc: 4}
	s := space.Schedule{Pass: space.Forward}
	s.Ops[space.Fwd] = space.OpSchedule{
		Tile: [3]int64{2, 2, 2}, Order: space.Order{space.K, space.M, space.N},
		Hold: [3]uint8{space.M: 1, space.N: 2, space.K: 3},
	}
	for _, c := range []struct {
		name  string
		plant func(*replay[int64])
		want  string
	}{
		{"sound", func(*replay[int64]) {}, ""},
		{"an input", func(c *replay[int64]) { c.in.x[3] += 9 }, "y: numbers differ from the reference: element"},
		{"a weight", func(c *replay[int64]) { c.in.w[11] += 9 }, "y: numbers differ"},
		{"a sum that two cores made", func(c *replay[int64]) { c.out[space.Fwd] = make([]int64, 20); c.out[space.Fwd][19] = 1 }, "element 19 is"},
		{"a short output", func(c *replay[int64]) { c.out[space.Fwd] = make([]int64, 21) }, "21 elements, want 20"},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		in := draw[int64](p, rng)
		mine := inputs[int64]{append([]int64(nil), in.x...), append([]int64(nil), in.w...), in.dy}
		r := newReplay(p, mine, &PixelCount{})
		c.plant(r)
		if err := r.cores(t.Context(), plan(p, &s)); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		rep := ReplayReport{Tensors: make([]TensorCheck, 1)}
		err := r.check(&s, in, &rep, true)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrNumbers) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// TestCompare is the rule of agreement.
func TestCompare(t *testing.T) {
	for _, c := range []struct {
		got, want float64
		exact, ok bool
	}{
		{100, 100, true, true},
		{100, 101, true, false},
		{100.009, 100, false, true},
		{100.02, 100, false, false},
		{1e-30, 0, false, false},
	} {
		if _, err := compare([]float64{c.got}, []float64{c.want}, c.exact); (err == nil) != c.ok {
			t.Errorf("%v for %v, exact %v: error %v", c.got, c.want, c.exact, err)
		}
	}
}
