package verify

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/agree"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/evaluator/simulator"
	"github.com/npu-tune/npu-tune/evaluator/simulator/gen"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// TestFiguresAreAllOfCost counts the numbers that a Cost holds.
func TestFiguresAreAllOfCost(t *testing.T) {
	var count func(reflect.Type) int
	count = func(typ reflect.Type) int {
		n := 1
		switch typ.Kind() {
		case reflect.Array:
			n = typ.Len() * count(typ.Elem())
		case reflect.Struct:
			n = 0
			for i := range typ.NumField() {
				n += count(typ.Field(i).Type)
			}
		}
		return n
	}
	if got := count(reflect.TypeFor[evaluator.Cost]()); got != Figures {
		t.Errorf("a cost has %d figures, Figures is %d", got, Figures)
	}
}

// gemm is a large backward pass of ragged tiles, the gradients block by block.
func gemm() (*space.Problem, *space.Schedule) {
	p := &space.Problem{Layer: models.Layer{Name: "fc", M: 100, N: 70, K: 60}, Pass: space.Backward}
	p.HW = hardware.Params{Rows: 8, Cols: 8, BytesPerCycle: 16, BytesIn: 2, BytesOut: 2, BytesAcc: 4, Cores: 1}
	p.HW.UnifiedSPM(1 << 20)
	s := &space.Schedule{Pass: space.Backward, Shared: 2}
	o := space.OpSchedule{
		Tile: [space.NumDims]int64{7, 9, 8}, Order: space.Order{space.M, space.N, space.K},
		Hold: [space.NumDims]uint8{space.M: 3, space.N: 3, space.K: 2},
	}
	s.Ops[space.DX], s.Ops[space.DW] = o, o
	return p, s
}

func costOf(t *testing.T, p *space.Problem, s *space.Schedule) evaluator.Cost {
	t.Helper()
	c, err := new(Checker).closedForm(t.Context(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCheckShrinksWhatIsTooLarge(t *testing.T) {
	p, s := gemm()
	stored := costOf(t, p, s)
	for _, c := range []struct {
		name            string
		maxOps, maxMACs int64
		whole, numbers  bool
	}{
		{"everything whole", 1 << 20, 1 << 30, true, true},
		{"numbers shrunk", 1 << 20, 1 << 16, true, false},
		{"all shrunk", 500, 1 << 16, false, false},
	} {
		r, err := (&Checker{MaxOps: c.maxOps, MaxMACs: c.maxMACs}).Check(t.Context(), p, s, &stored)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if r.Simulated.Whole != c.whole || r.Replayed.Whole != c.numbers {
			t.Errorf("%s: whole %v, numbers whole %v, want %v, %v", c.name, r.Simulated.Whole, r.Replayed.Whole, c.whole, c.numbers)
		}
		if r.Ops != stored.Ops || r.Simulated.Ops > c.maxOps || r.Replayed.Problem.Layer.MACs() > c.maxMACs {
			t.Errorf("%s: %d of %d operations, %d MACs", c.name, r.Simulated.Ops, r.Ops, r.Replayed.Problem.Layer.MACs())
		}
		l := r.Replayed.Problem.Layer
		if r.Fields != Figures || r.Stored != Figures || r.Elements != l.M*l.K+l.K*l.N || r.MaxError > simulator.FloatTolerance {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

func TestRandomSchedulesPass(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		src := func(n int64) int64 { return rapid.Int64Range(0, n-1).Draw(rt, "choice") }
		p, s := gen.Case(src, gen.Options{MaxDim: 12, MaxOps: 500})
		if _, err := (&Checker{MaxOps: 50, MaxMACs: 500}).Check(t.Context(), &p, &s, nil); err != nil {
			rt.Fatal(err)
		}
	})
}

// wrong costs like the closed form, but for a change.
type wrong struct {
	analytic.Evaluator
	change func(*space.Problem, *space.Schedule, *evaluator.Cost)
}

func (w wrong) Evaluate(ctx context.Context, p *space.Problem, s []space.Schedule, r []evaluator.Result) error {
	err := w.Evaluator.Evaluate(ctx, p, s, r)
	for i := range s {
		w.change(p, &s[i], &r[i].Cost)
	}
	return err
}

// ragged reports whether the last tile of d is smaller.
func ragged(p *space.Problem, s *space.Schedule, d space.Dim) bool {
	o := &s.Ops[s.Pass.Ops()[0]]
	return p.Share(o, d)%min(o.Tile[d], p.Share(o, d)) > 0
}

// TestWrongCostsShrink plants mistakes in the closed form; the smallest problem
// that shows each is known.
func TestWrongCostsShrink(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*space.Problem, *space.Schedule, *evaluator.Cost)
		m      int64
		macs   int64
		ops    int64
	}{
		{"always", func(_ *space.Problem, _ *space.Schedule, c *evaluator.Cost) { c.SPMBytes++ }, 1, 1, 2},
		{"ragged m", func(p *space.Problem, s *space.Schedule, c *evaluator.Cost) {
			if ragged(p, s, space.M) {
				c.Cycles++
			}
		}, 3, 3, 3},
		{"ragged m and k", func(p *space.Problem, s *space.Schedule, c *evaluator.Cost) {
			if ragged(p, s, space.M) && ragged(p, s, space.K) {
				c.Traffic[space.W].Read -= 2
			}
		}, 3, 9, 5},
		{"more than 50 rows", func(p *space.Problem, _ *space.Schedule, c *evaluator.Cost) {
			if p.Layer.M > 50 {
				c.MACs++
			}
		}, 51, 51, 2},
	} {
		p, s := gemm()
		_, err := (&Checker{MaxOps: 2000, closed: wrong{change: c.change}}).Check(t.Context(), p, s, nil)
		var f *Failure
		if !errors.As(err, &f) || !errors.Is(err, agree.ErrDisagree) {
			t.Errorf("%s: error %v, want a Failure", c.name, err)
			continue
		}
		q, z := &f.Case.Problem, &f.Case.Schedule
		if !f.Shrunk || q.Layer.M != c.m || q.Layer.MACs() != c.macs || simulator.Ops(q, z) != c.ops {
			t.Errorf("%s: shrunk %v to %+v with %+v, %d operations; want m %d, %d MACs, %d operations", c.name, f.Shrunk, q.Layer, *z, simulator.Ops(q, z), c.m, c.macs, c.ops)
		}
		closed := wrong{change: c.change}
		cost, err := (&Checker{closed: closed}).closedForm(t.Context(), q, z)
		if err != nil || f.Case.Expect == nil || cost == *f.Case.Expect {
			t.Errorf("%s: the case expects %+v, the mistaken closed form gives %+v, %v", c.name, f.Case.Expect, cost, err)
		}
	}
}

// TestWrongCostOfAConvolution keeps the window while the mistake needs it.
func TestWrongCostOfAConvolution(t *testing.T) {
	p, s := gemm()
	p.Layer = models.Layer{M: 4 * 20 * 20, N: 64, K: 32 * 9, Batch: 3, Conv: &models.Conv{
		H: 20, W: 20, P: 20, Q: 20, R: 3, S: 3, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1, PadH: 1, PadW: 1}}
	window := *p.Layer.Conv
	_, err := (&Checker{closed: wrong{change: func(p *space.Problem, _ *space.Schedule, c *evaluator.Cost) {
		if p.Layer.Conv != nil {
			c.Ops++
		}
	}}}).Check(t.Context(), p, s, nil)
	var f *Failure
	if !errors.As(err, &f) {
		t.Fatalf("error %v, want a Failure", err)
	}
	l := f.Case.Problem.Layer
	if l.Conv == nil || l.M != 1 || l.N != 1 || l.K != 9 || l.Batches() != 1 {
		t.Errorf("shrunk to %+v", l)
	}
	if *p.Layer.Conv != window {
		t.Errorf("the caller's window became %+v", *p.Layer.Conv)
	}
}

// liar is a machine whose numbers are wrong where the schedule has several
// steps of k, or which refuses to run.
type liar struct {
	*simulator.Simulator
	refuse error
}

func (l liar) Run(ctx context.Context, p *space.Problem, s *space.Schedule, o simulator.RunOptions) (simulator.Report, error) {
	if l.refuse != nil {
		return simulator.Report{}, l.refuse
	}
	return l.Simulator.Run(ctx, p, s, o)
}

func (l liar) Replay(ctx context.Context, p *space.Problem, s *space.Schedule, seed uint64) (simulator.ReplayReport, error) {
	if p.Layer.K > s.Ops[space.DX].Tile[space.K] {
		return simulator.ReplayReport{}, simulator.ErrNumbers
	}
	return l.Simulator.Replay(ctx, p, s, seed)
}

func TestWrongNumbersShrink(t *testing.T) {
	p, s := gemm()
	_, err := (&Checker{machine: liar{Simulator: simulator.New()}}).Check(t.Context(), p, s, nil)
	var f *Failure
	if !errors.As(err, &f) || !errors.Is(err, simulator.ErrNumbers) {
		t.Fatalf("error %v, want wrong numbers", err)
	}
	if l := f.Case.Problem.Layer; l.M != 1 || l.N != 1 || l.K != 2 || f.Case.Expect == nil {
		t.Errorf("shrunk to %+v, expecting %v; want k 2", l, f.Case.Expect)
	}
}

func TestFaultsShrink(t *testing.T) {
	p, s := gemm()
	refuse := &simulator.Fault{Region: space.DYRegion, Err: simulator.ErrAbsent}
	_, err := (&Checker{machine: liar{simulator.New(), refuse}}).Check(t.Context(), p, s, nil)
	var f *Failure
	if !errors.As(err, &f) || !errors.Is(err, simulator.ErrAbsent) || f.Case.Problem.Layer.MACs() != 1 {
		t.Errorf("error %v, case %+v; want a fault in a problem of one MAC", err, f)
	}
}

func TestWhatIsWrongWithTheScheduleItself(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*space.Problem, *space.Schedule, *evaluator.Cost)
		want   error
	}{
		{"a stored figure", func(_ *space.Problem, _ *space.Schedule, c *evaluator.Cost) { c.Traffic[space.GradY].Read++ }, ErrStored},
		{"another tile", func(_ *space.Problem, s *space.Schedule, _ *evaluator.Cost) { s.Ops[space.DW].Tile[space.K]++ }, ErrStored},
		{"an illegal tile", func(_ *space.Problem, s *space.Schedule, _ *evaluator.Cost) { s.Ops[space.DW].Tile[space.M]++ }, space.ErrIllegal},
		{"a small SPM", func(p *space.Problem, _ *space.Schedule, _ *evaluator.Cost) { p.HW.UnifiedSPM(100) }, ErrRefused},
	} {
		p, s := gemm()
		stored := costOf(t, p, s)
		c.change(p, s, &stored)
		_, err := new(Checker).Check(t.Context(), p, s, &stored)
		var f *Failure
		if !errors.As(err, &f) || !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
			continue
		}
		if f.Shrunk || f.Case.Schedule != *s || *f.Case.Expect != stored {
			t.Errorf("%s: %+v, want the schedule itself", c.name, f)
		}
	}
}

func TestCheckStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p, s := gemm()
	if _, err := new(Checker).Check(ctx, p, s, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}
