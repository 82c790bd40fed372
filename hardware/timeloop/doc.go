// Package timeloop reads Timeloop's architectures as NPUs, where they are one:
// DRAM, one buffer on the chip, and an array of processing elements with
// multiply-accumulate units, in the notation of versions 0.2 and 0.3 (subtree,
// local) or 0.4 (nodes with tags).
//
// The buffer becomes the SPM. Registers in the processing elements are left to
// the array's dataflows. What an architecture does not say is assumed and
// noted: a clock of 1 GHz, a bandwidth where the file gives none, no energies.
package timeloop
