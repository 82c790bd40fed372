// Package evaluator says what a schedule costs: Cost is the figure of merit
// in all its parts, Evaluator whatever can compute one. The analytic
// evaluator is a closed form, the simulator runs tile by tile; both follow the
// cost model (docs/cost-model.md) and agree exactly.
package evaluator
