// Package cases reads and writes cost cases: a layer, an NPU, a schedule and
// what the schedule costs, in the JSON of the cost model's section 8.
package cases
