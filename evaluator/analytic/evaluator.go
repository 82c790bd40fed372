package analytic

import (
	"context"
	"fmt"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/space"
)

// Evaluator costs batches of schedules by the closed form.
type Evaluator struct{}

var _ evaluator.Evaluator = Evaluator{}

// Name returns the evaluator's name and version.
func (Evaluator) Name() string { return "analytic/1" }

// Evaluate implements evaluator.Evaluator. A schedule that does not fit is
// Infeasible and has its cost all the same.
func (Evaluator) Evaluate(ctx context.Context, p *space.Problem, schedules []space.Schedule, results []evaluator.Result) error {
	m := New(p)
	for i := range schedules {
		if i&255 == 0 {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("analytic: %w", err)
			}
		}
		m.Evaluate(&schedules[i], &results[i])
	}
	return nil
}

// Evaluate costs one schedule, which need not be legal.
func (m *Model) Evaluate(s *space.Schedule, r *evaluator.Result) {
	if err := m.problem.Legal(s); err != nil {
		*r = evaluator.Result{Status: evaluator.Illegal, Reason: err.Error()}
		return
	}
	r.Status, r.Reason = evaluator.OK, ""
	if !m.Cost(s, &r.Cost) {
		r.Status = evaluator.Infeasible
		r.Reason = fmt.Sprintf("needs %d bytes of SPM, over the capacity", r.Cost.SPMBytes)
	}
}
