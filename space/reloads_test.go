package space

import "testing"

// What a loop nest says of loads is what the cost model counts: its traffic is
// the elements times the reloads.
func TestReloads(t *testing.T) {
	k := Order{K, M, N}
	m := Order{M, N, K}
	for _, c := range []struct {
		name  string
		order Order
		hold  [NumDims]uint8
		tile  [NumDims]int64
		want  [NumDims]int64 // of W, X, Y
	}{
		{"whole tensors", k, [3]uint8{0, 0, 0}, [3]int64{1, 1, 1}, [3]int64{1, 1, 1}},
		{"one tile each", m, [3]uint8{M: 3, N: 3, K: 2}, [3]int64{2, 2, 2}, [3]int64{M: 4, N: 4, K: 1}},
		{"held outside the lacking loop", m, [3]uint8{M: 0, N: 1, K: 2}, [3]int64{2, 2, 2}, [3]int64{M: 1, N: 1, K: 1}},
		{"reduction outermost", k, [3]uint8{M: 3, N: 2, K: 3}, [3]int64{2, 2, 2}, [3]int64{M: 4, N: 1, K: 4}},
		{"reduction of one step", k, [3]uint8{M: 3, N: 2, K: 3}, [3]int64{2, 2, 8}, [3]int64{M: 4, N: 1, K: 1}},
		{"own loops of one step", k, [3]uint8{M: 3, N: 2, K: 3}, [3]int64{2, 8, 2}, [3]int64{M: 1, N: 1, K: 4}},
	} {
		p := &Problem{Pass: Forward}
		p.Layer.M, p.Layer.N, p.Layer.K = 8, 8, 8
		s := Schedule{Pass: Forward}
		s.Ops[Fwd] = OpSchedule{Order: c.order, Hold: c.hold, Tile: c.tile}
		for d := range NumDims {
			if got := p.reloads(&s, Fwd, d); got != c.want[d] {
				t.Errorf("%s: %s moves %d times, want %d", c.name, Fwd.Tensor(d), got, c.want[d])
			}
		}
	}
}
