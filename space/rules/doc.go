// Package rules reads rules that restrict schedules: what a compiler imposes,
// and schedules that are written by hand, whole or in part. Both are lists of
// requirements, which combine to space.Constraints; where they leave nothing,
// Clash says which of them exclude each other.
package rules
