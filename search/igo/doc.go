// Package igo repeats the study of Interleaved Gradient Order (MICRO'23,
// doi:10.1145/3613424.3614299) on this project's cost model: its networks, its
// two NPUs and its three techniques, beside proven optima and lower bounds.
// docs/paper.md says what the paper leaves open and what is assumed here.
package igo
