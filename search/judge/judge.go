package judge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/space"
)

// DefaultMaxEvals bounds a search that has neither a bound on evaluations nor
// a deadline, so that it ends.
const DefaultMaxEvals = 50_000

// memoEntries bounds the memo, which is emptied when it is full; an entry
// takes about 200 bytes.
const memoEntries = 1 << 17

// exhausted is how many proposals in a row may bring nothing new before the
// space counts as seen.
const exhausted = 20_000

// ErrDone is returned by Judge when the search should stop: evaluations are
// used up, or proposals bring nothing new any more.
var ErrDone = errors.New("search budget used up")

// Verdict is what became of a proposal.
type Verdict struct {
	// Fitness is smaller for better schedules. Schedules that fit have their
	// objective; those that do not have Penalty times one plus the bytes by
	// which they exceed the SPM.
	Fitness float64
	Fits    bool
}

// Penalty is the fitness of a schedule that the evaluator cannot cost: more
// than any objective, since figures fit in 64 bits. It is finite, for
// selection to compare.
const Penalty = 1e60

// Judge measures the proposals of one search.
type Judge struct {
	request     *search.Request
	space       *space.Space
	constrained bool
	maxEvals    int64
	memo        map[space.Schedule]Verdict
	archive     *search.Archive
	front       search.Front
	evaluations int64
	infeasible  int64
	idle        int // proposals since the last new one

	canonical []space.Schedule // of the proposals
	batch     []space.Schedule // those to measure
	results   []evaluator.Result
}

// New prepares the judgement of proposals for a request, all of the space sp. The context's deadline
// only decides whether DefaultMaxEvals applies.
func New(ctx context.Context, r *search.Request, sp *space.Space) *Judge {
	j := &Judge{
		request:     r,
		space:       sp,
		constrained: !reflect.DeepEqual(r.Constraints, space.Constraints{}),
		maxEvals:    r.MaxEvals,
		memo:        map[space.Schedule]Verdict{},
		archive:     search.NewArchive(r.Objective, r.Top),
	}
	if _, ok := ctx.Deadline(); !ok && j.maxEvals <= 0 {
		j.maxEvals = DefaultMaxEvals
	}
	return j
}

// JudgeSeeds judges the request's seeds that belong to the space, so that the
// answer is not worse than they are however short the budget is.
func (j *Judge) JudgeSeeds(ctx context.Context) error {
	var seeds []space.Schedule
	for i := range j.request.Seeds {
		if s := &j.request.Seeds[i]; j.space.Allows(s) == nil {
			seeds = append(seeds, *s)
		}
	}
	return j.Judge(ctx, seeds, make([]Verdict, len(seeds)))
}

// Judge fills verdicts[i] for proposals[i], which must be legal. It sends the
// new ones, in canonical form, to the evaluator in one batch. ErrDone, or the context's error,
// says that the search should stop; verdicts are then incomplete.
func (j *Judge) Judge(ctx context.Context, proposals []space.Schedule, verdicts []Verdict) error {
	if len(j.memo)+len(proposals) > memoEntries {
		clear(j.memo)
	}
	j.canonical = j.canonical[:0]
	for i := range proposals {
		j.canonical = append(j.canonical, j.canonicalOf(&proposals[i]))
	}
	if err := j.measureNew(ctx, j.canonical); err != nil {
		return err
	}
	for i, s := range j.canonical {
		v, ok := j.memo[s]
		if !ok {
			return ErrDone // the batch was cut to the budget
		}
		verdicts[i] = v
	}
	if j.idle >= exhausted {
		return ErrDone
	}
	return nil
}

// canonicalOf returns what stands for all proposals with the same meaning. The
// canonical order of loops of one step may be one that constraints forbid;
// then a proposal stands for itself.
func (j *Judge) canonicalOf(s *space.Schedule) space.Schedule {
	c := j.request.Problem.Canonical(*s)
	if j.constrained && j.space.Allows(&c) != nil {
		return *s
	}
	return c
}

// measureNew has those proposals costed that are not in the memo and fit the
// SPM, as far as the budget reaches.
func (j *Judge) measureNew(ctx context.Context, proposals []space.Schedule) error {
	j.batch = j.batch[:0]
	for i := range proposals {
		s := &proposals[i]
		if _, ok := j.memo[*s]; ok {
			j.idle++
			continue
		}
		footprint := j.request.Problem.Footprint(s)
		if over := footprint.Over(j.request.Constraints.ReservedSPMBytes); over > 0 {
			j.infeasible++
			j.idle++ // it costs nothing, so there must be an end to it
			j.memo[*s] = Verdict{Fitness: Penalty * (1 + float64(over))}
			continue
		}
		if j.maxEvals > 0 && j.evaluations+int64(len(j.batch)) >= j.maxEvals {
			break
		}
		j.memo[*s] = Verdict{} // filled below; equal ones need no second cost
		j.batch = append(j.batch, *s)
		j.idle = 0
	}
	if err := ctx.Err(); err != nil || len(j.batch) == 0 {
		return err
	}
	return j.measure(ctx)
}

// measure costs the batch.
func (j *Judge) measure(ctx context.Context) error {
	if n := len(j.batch) - len(j.results); n > 0 {
		j.results = append(j.results, make([]evaluator.Result, n)...)
	}
	results := j.results[:len(j.batch)]
	if err := j.request.Evaluator.Evaluate(ctx, j.request.Problem, j.batch, results); err != nil {
		return err
	}
	j.evaluations += int64(len(j.batch))
	for i := range results {
		v, err := j.verdict(&j.batch[i], &results[i])
		if err != nil {
			return err
		}
		j.memo[j.batch[i]] = v
	}
	j.report()
	return nil
}

// verdict judges one result, and keeps it if it is among the best.
func (j *Judge) verdict(s *space.Schedule, r *evaluator.Result) (Verdict, error) {
	switch r.Status {
	case evaluator.OK:
		j.archive.Add(s, &r.Cost)
		if j.request.Pareto {
			j.front.Add(s, &r.Cost)
		}
		return Verdict{Fitness: j.request.Objective.Value(&r.Cost), Fits: true}, nil
	case evaluator.Illegal:
		return Verdict{}, fmt.Errorf("%w: %+v: %s", evaluator.ErrIllegal, *s, r.Reason)
	}
	j.infeasible++
	return Verdict{Fitness: Penalty}, nil
}

func (j *Judge) report() {
	if j.request.Progress == nil {
		return
	}
	e := search.Event{Evaluations: j.evaluations, Best: math.Inf(1)}
	if best := j.archive.Best(); len(best) > 0 {
		e.Best = j.request.Objective.Value(&best[0].Cost)
	}
	j.request.Progress(e)
}

// Evaluations returns how many schedules were costed.
func (j *Judge) Evaluations() int64 { return j.evaluations }

// Outcome returns what was found so far. Nothing is proven.
func (j *Judge) Outcome(strategy string) search.Outcome {
	return search.Outcome{
		Strategy: strategy,
		Top:      j.archive.Best(),
		Pareto:   j.front.Sorted(),
		Stats:    search.Stats{SpaceSize: j.space.Size(), Evaluations: j.evaluations, Infeasible: j.infeasible},
	}
}
