// Package search finds schedules: a Strategy proposes schedules of one
// problem under a budget and says how good the best is; the Tuner runs a
// strategy over all layers of a model. It knows nothing of files, tables or
// flags.
package search
