package agree_test

import (
	"flag"
	"math/bits"
	"os"
	"strconv"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/npu-tune/npu-tune/evaluator/simulator/gen"
	"github.com/npu-tune/npu-tune/space"
)

var countFlag = flag.Int("agree.n", 0, "random schedules whose costs are compared; a tenth as many carry numbers; 0: AGREE_N, or 10,000")

const defaultCount = 10000

// count returns how many schedules to draw.
func count(t *testing.T) int {
	t.Helper()
	if *countFlag > 0 {
		return *countFlag
	}
	if text := os.Getenv("AGREE_N"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("AGREE_N is %q, want a number of schedules", text)
		}
		return n
	}
	return defaultCount
}

// drawn is a problem with a legal schedule.
type drawn struct {
	Problem  space.Problem
	Schedule space.Schedule
}

// generator draws cases from fair bits, since rapid's integers prefer small
// ones; no bits stand for the simplest case, so that rapid can shrink.
func generator(o gen.Options) *rapid.Generator[drawn] {
	return rapid.Custom(func(t *rapid.T) drawn {
		src := func(n int64) int64 {
			var v int64
			for range bits.Len64(uint64(n-1)) + 3 {
				v <<= 1
				if rapid.Bool().Draw(t, "bit") {
					v |= 1
				}
			}
			return v % n
		}
		var d drawn
		d.Problem, d.Schedule = gen.Case(src, o)
		return d
	})
}

// forEach draws n cases, half of them with SPMs of limited size, and reports
// how many passed.
func forEach(t *testing.T, n int, o gen.Options, property func(*rapid.T, *space.Problem, *space.Schedule)) {
	t.Helper()
	var done atomic.Int64
	for _, limited := range []bool{false, true} {
		o.Limited = limited
		cases := generator(o)
		checks(t, n/2, func(rt *rapid.T) {
			d := cases.Draw(rt, "case")
			property(rt, &d.Problem, &d.Schedule)
			done.Add(1)
		})
	}
	t.Logf("%d random schedules passed", done.Load())
	if !testing.Verbose() && n >= 10000 {
		println(t.Name()+":", done.Load(), "random schedules passed")
	}
}

// checks runs a property n times.
func checks(t *testing.T, n int, property func(*rapid.T)) {
	t.Helper()
	f := flag.Lookup("rapid.checks")
	was := f.Value.String()
	if err := f.Value.Set(strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
	defer f.Value.Set(was)
	rapid.Check(t, property)
}
