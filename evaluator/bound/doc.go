// Package bound computes figures that no schedule of a problem falls below:
// traffic, array cycles, latency, energy and SPM bytes, in closed form and
// without looking at schedules. docs/bounds.md proves each.
package bound
