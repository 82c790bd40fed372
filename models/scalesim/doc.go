// Package scalesim reads the topology files of SCALE-Sim as models: CSV with a
// convolution or a GEMM a row.
//
// The header says what each column is; a file without one has SCALE-Sim's
// columns in their order. Convolutions have no padding beyond what their image
// sizes include, so P = (height - filter height) / stride + 1, rounded down,
// where SCALE-Sim itself rounds up. A layer whose name contains DP is depthwise,
// as SCALE-Sim has it. A matrix product that is written as a convolution (one
// channel, filters of one row as wide as the image) is read as a GEMM.
package scalesim
