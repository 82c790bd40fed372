package simulator

import (
	"errors"
	"strings"
	"testing"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

func twoSlots(t *testing.T) *scratchpad {
	t.Helper()
	s, err := newScratchpad([]area{
		{region: space.XRegion, offset: 0, slots: 2, slot: 8, replicas: 1},
		{region: space.YRegion, offset: 16, slots: 1, slot: 8, replicas: 1},
	}, []int64{24})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestScratchpad drives the SPM by hand. Each line is an access in a stage;
// the last one must be refused.
func TestScratchpad(t *testing.T) {
	a, b, c := tileID{0, 0}, tileID{0, 1}, tileID{2, 3}
	type access = func(*scratchpad) error
	load := func(stage int64, r space.Region, id tileID) access {
		return func(s *scratchpad) error { _, err := s.load(stage, r, id, 8); return err }
	}
	use := func(stage int64, r space.Region, id tileID) access {
		return func(s *scratchpad) error { _, err := s.use(stage, r, id, r == space.YRegion); return err }
	}
	write := func(stage int64, r space.Region, id tileID) access {
		return func(s *scratchpad) error { _, err := s.writeBack(stage, r, id); return err }
	}
	drop := func(stage int64, r space.Region, id tileID) access {
		return func(s *scratchpad) error { return s.drop(stage, r, id) }
	}
	x, y := space.XRegion, space.YRegion
	for _, tt := range []struct {
		name  string
		steps []access
		want  error
	}{
		{"a whole life", []access{load(-1, y, c), use(0, y, c), use(1, y, c), write(2, y, c), drop(2, y, c)}, nil},
		{"a slot is used again", []access{load(0, x, a), load(0, x, b), drop(1, x, a), load(1, x, c), use(2, x, c)}, nil},
		{"read what is not there", []access{load(0, x, a), use(1, x, b)}, ErrAbsent},
		{"read what was dropped", []access{load(0, x, a), use(1, x, a), drop(2, x, a), use(3, x, a)}, ErrAbsent},
		{"read what is on its way", []access{load(4, x, a), use(4, x, a)}, ErrArriving},
		{"load twice", []access{load(0, x, a), load(1, x, a)}, ErrPresent},
		{"overwrite what is live", []access{load(0, x, a), load(0, x, b), load(1, x, c)}, ErrLive},
		{"drop what the array reads", []access{load(0, x, a), use(1, x, a), drop(1, x, a)}, ErrInUse},
		{"write what the array writes", []access{load(0, y, a), use(1, y, a), write(1, y, a)}, ErrInUse},
		{"drop results", []access{load(0, y, a), use(1, y, a), drop(2, y, a)}, ErrUnwritten},
		{"results after a write", []access{load(0, y, a), use(1, y, a), write(2, y, a), use(3, y, a), drop(4, y, a)}, ErrUnwritten},
		{"drop what is not there", []access{drop(0, x, a)}, ErrAbsent},
		{"write what is not there", []access{write(0, y, a)}, ErrAbsent},
		{"no such region", []access{load(0, space.WRegion, a)}, ErrNoRegion},
		{"too large", []access{func(s *scratchpad) error { _, err := s.load(0, x, a, 9); return err }}, ErrSlotSize},
	} {
		s := twoSlots(t)
		for i, step := range tt.steps {
			err := step(s)
			if i < len(tt.steps)-1 || tt.want == nil {
				if err != nil {
					t.Errorf("%s: access %d: %v", tt.name, i, err)
				}
				continue
			}
			if !errors.Is(err, tt.want) {
				t.Errorf("%s: error %v, want %v", tt.name, err, tt.want)
			}
		}
	}
}

func TestFaultNames(t *testing.T) {
	_, err := twoSlots(t).use(7, space.YRegion, tileID{2, 3}, true)
	if got, want := err.Error(), "stage 7: region y, tile (2, 3): tile is not in the SPM"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestScratchpadLayout(t *testing.T) {
	region := func(r space.Region, offset, slots, replicas int64) area {
		return area{region: r, offset: offset, slots: slots, slot: 8, replicas: replicas}
	}
	for _, c := range []struct {
		name  string
		areas []area
		want  string
	}{
		{"too many bytes", []area{region(0, 0, 3, 1), region(1, 24, 1, 1)}, "ends at byte 32, pool 0 has 24"},
		{"replicas count", []area{region(0, 0, 1, 4)}, "ends at byte 32"},
		{"overlap", []area{region(0, 0, 2, 1), region(1, 8, 1, 1)}, "regions x and w overlap"},
		{"no such pool", []area{{region: 0, pool: 1, slots: 1, slot: 1, replicas: 1}}, "lies in pool 1 of 1"},
	} {
		_, err := newScratchpad(c.areas, []int64{24})
		if !errors.Is(err, ErrCapacity) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// TestPlantedPlans breaks a sound plan in one place each and wants the machine
// to refuse it.
func TestPlantedPlans(t *testing.T) {
	p := &space.Problem{Layer: models.Layer{M: 6, N: 4, K: 6}, Pass: space.Forward}
	p.HW = hardware.Params{Rows: 2, Cols: 2, BytesPerCycle: 1, BytesIn: 1, BytesOut: 1, BytesAcc: 4}
	s := space.Schedule{Pass: space.Forward}
	// k outside: Y reloads its partial sums at each k.
	s.Ops[space.Fwd] = space.OpSchedule{
		Tile: [3]int64{2, 2, 2}, Order: space.Order{space.K, space.M, space.N},
		Hold: [3]uint8{space.M: 1, space.N: 2, space.K: 3},
	}
	y, x, w := int(space.K), int(space.N), int(space.M) // operands by what they lack
	for _, c := range []struct {
		name  string
		plant func(*visits, []area)
		want  error
	}{
		{"sound", func(*visits, []area) {}, nil},
		{"a load forgotten", func(v *visits, _ []area) { v.ops[2] &^= first << (4 * x) }, ErrAbsent},
		{"a tile dropped too early", func(v *visits, _ []area) { v.ops[2].set(x, last); v.ops[3] &^= last << (4 * x) }, ErrInUse},
		{"a tile never dropped", func(v *visits, _ []area) { v.ops[3] &^= last << (4 * x) }, ErrLive},
		{"a slot too few", func(_ *visits, a []area) { shrink(a, space.YRegion) }, ErrLive},
		{"a slot too few for weights", func(_ *visits, a []area) { shrink(a, space.WRegion) }, ErrLive},
		{"partial sums not written", func(v *visits, _ []area) { v.ops[0] &^= last << (4 * y) }, ErrLive},
		{"partial sums forgotten", func(v *visits, _ []area) { v.ops[6] |= fresh << (4 * y); v.ops[0].set(y, complete) }, ErrStoredTwice},
		{"partial sums that nobody wrote", func(v *visits, _ []area) { v.ops[0] &^= fresh << (4 * y) }, ErrNeverStored},
		{"complete too early", func(v *visits, _ []area) { v.ops[0].set(y, complete) }, ErrStoredTwice},
		{"never complete", func(v *visits, _ []area) { v.ops[17] &^= complete << (4 * y) }, ErrNeverStored},
		{"loaded twice", func(v *visits, _ []area) { v.ops[1].set(x, first) }, ErrPresent},
		{"left behind", func(v *visits, _ []area) { v.ops[17] &^= last << (4 * w) }, ErrPresent},
	} {
		r := &plan(p, &s)[0]
		v, err := r.findVisits(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		areas := r.areas(v)
		c.plant(v, areas)
		m := &machine{}
		err = m.begin(r, v, areas)
		if err == nil {
			err = r.stages(t.Context(), v, m.stage)
		}
		if err == nil {
			err = m.end()
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
}

func shrink(areas []area, r space.Region) {
	for i := range areas {
		if areas[i].region == r {
			areas[i].slots--
		}
	}
}
