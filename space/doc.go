// Package space says what a schedule is and which schedules there are: a
// Problem is one pass of one layer on one NPU, a Schedule one way to run it,
// and a Space all of them. How they are costed is the evaluator's business.
package space
