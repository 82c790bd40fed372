// Package analytic is the closed form of the cost model: the cost of a
// schedule in time independent of the number of its tiles, without allocation.
//
// Two facts make it closed. A tensor either reloads, and then moves a tile at
// every operation, or does not, and then moves it where the loop that it lacks
// is at its first step (inputs) or its last (outputs). And what a stage does
// depends on its position only through where each loop stands: at its first
// step, inside, next to last, or last.
package analytic
