// Package judge is what strategies that propose and measure have in common: a
// Judge looks proposals up, has those that are new costed in one batch, and
// remembers the best distinct schedules, the Pareto front, and how much of
// the budget is used. It is for one goroutine.
package judge
