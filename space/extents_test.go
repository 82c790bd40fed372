package space

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestExtentsFirst(t *testing.T) {
	for _, c := range []struct {
		name                  string
		share, multiple, most int64
		first                 []int64
		len                   int64
	}{
		{"any", 10, 0, 0, []int64{1, 2, 3, 4, 5, 8, 10}, 10}, // 4 and 8 are an array's
		{"multiples", 10, 3, 0, []int64{3, 6, 10}, 4},        // 9 has as many steps as 6
		{"most", 10, 0, 4, []int64{1, 2, 3, 4}, 4},
		{"share alone", 3, 5, 0, []int64{3}, 1},
		{"nothing", 10, 5, 4, nil, 0},
	} {
		e := newExtents(c.share, c.multiple, c.most, 4)
		if !slices.Equal(e.first, c.first) || e.Len() != c.len {
			t.Errorf("%s: %v of %d, want %v of %d", c.name, e.first, e.Len(), c.first, c.len)
		}
	}
}

func TestExtentsNumberEachOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		share := rapid.Int64Range(1, 60).Draw(t, "share")
		multiple, most := rapid.Int64Range(0, 8).Draw(t, "multiple"), rapid.Int64Range(0, 70).Draw(t, "most")
		e := newExtents(share, multiple, most, 4, 6)
		var got, want []int64
		var bursts float64
		for v := int64(1); v <= share; v++ {
			if (most == 0 || v <= most) && (multiple == 0 || v%multiple == 0 || v == share) {
				want = append(want, v)
				bursts += float64(min(CeilDiv(share, v), 3))
			}
		}
		for i := range e.Len() {
			v := e.At(i)
			if j, ok := e.Index(v); !ok || j != i {
				t.Fatalf("extent %d is %d, whose number is %d (%v)", i, v, j, ok)
			}
			got = append(got, v)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("extents %v, want %v", got, want)
		}
		if b := e.bursts(3); b != bursts {
			t.Fatalf("%v bursts, want %v", b, bursts)
		}
	})
}
