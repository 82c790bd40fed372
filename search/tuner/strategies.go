package tuner

import (
	"context"
	"errors"
	"fmt"

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

// Auto returns the strategy that proves optima where the evaluator has bounds
// (the analytic one), and evolves schedules where it has none.
func Auto() search.Strategy { return auto{proving: exhaustive.New(), evolving: genetic.New()} }

type auto struct{ proving, evolving search.Strategy }

var _ search.Strategy = auto{}

// Name implements search.Strategy.
func (auto) Name() string { return "auto" }

// Search implements search.Strategy.
func (a auto) Search(ctx context.Context, r *search.Request) (search.Outcome, error) {
	if _, ok := r.Evaluator.(analytic.Evaluator); ok || r.Evaluator == nil {
		return a.proving.Search(ctx, r)
	}
	return a.evolving.Search(ctx, r)
}
