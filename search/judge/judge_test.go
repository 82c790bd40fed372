package judge

import (
	"context"
	"errors"
	"testing"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

// recorder remembers the batches that it costs.
type recorder struct{ batches [][]space.Schedule }

func (*recorder) Name() string { return "recorder" }

func (r *recorder) Evaluate(ctx context.Context, p *space.Problem, s []space.Schedule, results []evaluator.Result) error {
	r.batches = append(r.batches, append([]space.Schedule(nil), s...))
	return analytic.Evaluator{}.Evaluate(ctx, p, s, results)
}

// tile returns a forward schedule of the 8 × 8 × 8 test problem.
func tile(m, n, k int64) space.Schedule {
	s := space.Schedule{Pass: space.Forward}
	s.Ops[space.Fwd] = space.OpSchedule{Tile: [3]int64{m, n, k}, Order: space.Order{space.M, space.N, space.K}, Hold: [3]uint8{3, 3, 2}}
	return s
}

func newJudge(t *testing.T, r *recorder, maxEvals int64) *Judge {
	t.Helper()
	hw := hardware.Params{Rows: 4, Cols: 4, BytesPerCycle: 4, BytesIn: 2, BytesOut: 2, BytesAcc: 4, Cores: 1}
	hw.UnifiedSPM(256)
	p := &space.Problem{Layer: models.Layer{M: 8, N: 8, K: 8}, HW: hw, Pass: space.Forward}
	sp, err := space.NewSpace(p, space.Constraints{})
	if err != nil {
		t.Fatal(err)
	}
	return New(t.Context(), &search.Request{Problem: p, Evaluator: r, MaxEvals: maxEvals, Top: 2}, sp)
}

func TestOnlyWhatIsNewAndFitsIsCosted(t *testing.T) {
	r := &recorder{}
	j := newJudge(t, r, 100)
	tooLarge, larger := tile(8, 8, 8), tile(8, 8, 7) // one slot each; two of x and w
	verdicts := make([]Verdict, 5)
	if err := j.Judge(t.Context(), []space.Schedule{tile(2, 2, 2), tooLarge, tile(2, 2, 2), larger, tile(4, 4, 4)}, verdicts); err != nil {
		t.Fatal(err)
	}
	if len(r.batches) != 1 || len(r.batches[0]) != 2 || j.Evaluations() != 2 {
		t.Errorf("batches %v, %d evaluations; want one of two schedules", r.batches, j.Evaluations())
	}
	if verdicts[0] != verdicts[2] || !verdicts[0].Fits || !verdicts[4].Fits || verdicts[1].Fits || verdicts[3].Fits {
		t.Errorf("verdicts %+v, want the first and third equal, the second and fourth too large", verdicts)
	}
	if !(verdicts[4].Fitness < verdicts[0].Fitness && verdicts[0].Fitness < verdicts[1].Fitness && verdicts[1].Fitness < verdicts[3].Fitness) {
		t.Errorf("verdicts %+v, want larger tiles better, and the more over capacity the worse", verdicts)
	}
	if err := j.Judge(t.Context(), []space.Schedule{tile(2, 2, 2), tooLarge}, verdicts); err != nil || len(r.batches) != 1 {
		t.Errorf("known schedules: error %v, %d batches; want no new one", err, len(r.batches))
	}
	if o := j.Outcome("x"); len(o.Top) != 2 || o.Stats.Infeasible != 2 || o.Top[0].Cost.Cycles != verdicts[4].Fitness {
		t.Errorf("outcome %+v, want two schedules, the better first, and two infeasible", o)
	}
}

func TestBatchIsCutToTheBudget(t *testing.T) {
	r := &recorder{}
	j := newJudge(t, r, 2)
	err := j.Judge(t.Context(), []space.Schedule{tile(1, 1, 1), tile(2, 2, 2), tile(4, 4, 4)}, make([]Verdict, 3))
	if !errors.Is(err, ErrDone) || j.Evaluations() != 2 || len(j.Outcome("x").Top) != 2 {
		t.Errorf("error %v after %d evaluations, want ErrDone after 2, both kept", err, j.Evaluations())
	}
}

func TestEndsWhenNothingIsNew(t *testing.T) {
	j := newJudge(t, &recorder{}, 100)
	batch := make([]space.Schedule, 1000)
	for i := range batch {
		batch[i] = tile(1, 2, 3)
	}
	rounds := 0
	for ; rounds < 100; rounds++ {
		if err := j.Judge(t.Context(), batch, make([]Verdict, len(batch))); err != nil {
			if !errors.Is(err, ErrDone) {
				t.Fatal(err)
			}
			break
		}
	}
	if rounds > exhausted/len(batch) {
		t.Errorf("%d times the same schedules, want the end after %d proposals", rounds, exhausted)
	}
}

func TestEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := &recorder{}
	if err := newJudge(t, r, 0).Judge(ctx, []space.Schedule{tile(1, 1, 1)}, make([]Verdict, 1)); !errors.Is(err, context.Canceled) || len(r.batches) != 0 {
		t.Errorf("error %v after %d batches, want context.Canceled after none", err, len(r.batches))
	}
}
