package tuner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/exhaustive"
	"github.com/npu-tune/npu-tune/search/genetic"
	"github.com/npu-tune/npu-tune/search/random"
)

// ErrStrategy is wrapped by ParseStrategy's error.
var ErrStrategy = errors.New("unknown strategy")

// StrategyNames returns the names that ParseStrategy knows.
func StrategyNames() []string { return []string{"auto", "exhaustive", "genetic", "random"} }

// ParseStrategy returns the strategy of a name.
func ParseStrategy(name string) (search.Strategy, error) {
	switch name {
	case "auto":
		return Auto(), nil
	case "exhaustive":
		return exhaustive.New(), nil
	case "genetic":
		return genetic.New(), nil
	case "random":
		return random.New(), nil
	}
	return nil, fmt.Errorf("%w %q, want auto, exhaustive, genetic or random", ErrStrategy, name)
}

// Auto returns the strategy that proves optima where the evaluator is the
// analytic one, whose costs have bounds. For any other it evolves schedules,
// beginning with the best by analytic cost.
func Auto() search.Strategy { return auto{proving: exhaustive.New(), evolving: genetic.New()} }

type auto struct{ proving, evolving search.Strategy }

var _ search.Strategy = auto{}

// guides is how many of the best schedules by analytic cost another
// evaluator's search begins with.
const guides = 16

// Name implements search.Strategy.
func (auto) Name() string { return "auto" }

// Search implements search.Strategy.
func (a auto) Search(ctx context.Context, r *search.Request) (search.Outcome, error) {
	if r.Evaluator == nil || isAnalytic(r.Evaluator) {
		return a.proving.Search(ctx, r)
	}
	guided := *r
	guide := *r
	guide.Evaluator, guide.Top, guide.Pareto, guide.Progress = analytic.Evaluator{}, guides, false, nil
	some, cancel := fraction(ctx, 0.25)
	defer cancel()
	o, err := a.proving.Search(some, &guide)
	if err != nil {
		return search.Outcome{}, err
	}
	guided.Seeds = slices.Clone(r.Seeds)
	for _, c := range o.Top {
		guided.Seeds = append(guided.Seeds, c.Schedule)
	}
	return a.evolving.Search(ctx, &guided)
}
