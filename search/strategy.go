package search

import (
	"context"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/space"
)

// Strategy looks for the best schedule of one problem.
//
// Search returns when the optimum is proven, the request's budget is used up
// or the context ends; in the last two cases it still returns the best so far
// with a nil error. An error means that the request cannot be searched at all
// (or the evaluator failed). For the same request with the same Seed and
// MaxEvals and an unfinished context the outcome is the same, run to run.
type Strategy interface {
	Name() string
	Search(ctx context.Context, r *Request) (Outcome, error)
}

// Request is what a strategy is asked.
type Request struct {
	Problem     *space.Problem
	Constraints space.Constraints
	Objective   Objective
	// Evaluator costs proposals. A strategy that proves optima needs the
	// analytic one and may ignore this field.
	Evaluator evaluator.Evaluator
	// Seeds are known schedules (hand-tuned ones): legal candidates that the
	// answer is never worse than, where they fit.
	Seeds []space.Schedule
	// MaxEvals bounds exact evaluations; 0 means no bound.
	MaxEvals int64
	// Seed makes random choices repeatable.
	Seed uint64
	// Top is how many of the best distinct schedules to return; 0 means 1.
	Top int
	// Pareto asks for the front of latency, traffic and SPM bytes too.
	Pareto bool
	// Progress, if not nil, is called now and then from the searching
	// goroutine; it must return fast.
	Progress func(Event)
}

// Event is how far a search has come.
type Event struct {
	Evaluations int64   // exact evaluations so far
	Best        float64 // objective of the best so far; +Inf if none
	Bound       float64 // no schedule is better than this; 0 if unknown
}

// Candidate is a schedule with its cost.
type Candidate struct {
	Schedule space.Schedule
	Cost     evaluator.Cost
}

// Outcome is what a strategy found.
type Outcome struct {
	Strategy string
	// Top holds the best distinct schedules, best first. Empty: nothing that
	// fits was found.
	Top []Candidate
	// Pareto holds the front of cycles × DRAM bytes × SPM bytes among the
	// schedules seen (of all schedules, if ParetoProven), by rising cycles.
	Pareto       []Candidate
	ParetoProven bool
	// Proven says that no schedule of the whole space, all integer tile
	// extents included, has a smaller objective than Top[0]; with Top empty,
	// that none fits.
	Proven bool
	// Bound is a figure that no schedule of the space falls below; the
	// optimum itself if Proven, 0 where nothing is known.
	Bound float64
	Stats Stats
}

// Stats is the certificate of a search: where the space went.
type Stats struct {
	SpaceSize   float64 `json:"space_size"`  // schedules of the space as they are written; approximate beyond 2⁵³
	Evaluations int64   `json:"evaluations"` // exact costs computed
	Bounds      int64   `json:"bounds"`      // lower bounds computed
	Cut         int64   `json:"cut"`         // boxes that a bound ruled out
	Infeasible  int64   `json:"infeasible"`  // boxes or schedules over the SPM's capacity
}

// Best returns the best candidate, or nil.
func (o *Outcome) Best() *Candidate {
	if len(o.Top) == 0 {
		return nil
	}
	return &o.Top[0]
}
