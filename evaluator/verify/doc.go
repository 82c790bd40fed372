// Package verify checks one schedule in three ways that share nothing: its
// stored cost against the closed form, the closed form against a run on the
// simulator's SPM, and the numbers that this run computes against a reference
// that knows no tiles. What fails is shrunk to the smallest problem that does.
package verify
