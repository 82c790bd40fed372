// Package models describes what is trained: a Model is an ordered list of
// Layers, and a Layer is a GEMM Y[M,N] = X[M,K]·W[K,N], optionally with the
// convolution window that it was lowered from. It knows nothing of NPUs or
// schedules.
package models
