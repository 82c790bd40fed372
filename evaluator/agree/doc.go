// Package agree holds the closed form of the cost model to the tile-by-tile
// simulator: two programs that share the schedule type and nothing of the cost
// code. Its tests draw random problems with a legal schedule each, compare
// every figure, carry real numbers through the SPM, and assert what must hold
// for every schedule.
//
// The tests draw 10,000 schedules; the flag -agree.n or the variable
// AGREE_N asks for another number of cost comparisons, and a tenth as many
// replays with numbers:
//
//	go test ./evaluator/agree -run 'TestCosts|TestNumbers' -v -agree.n 100000
//
// A schedule that fails is shrunk to a small one, which the test prints.
package agree
