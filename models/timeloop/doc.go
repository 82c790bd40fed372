// Package timeloop reads the problems of Timeloop as models of one layer: YAML
// of versions 0.1 to 0.4, with or without a shape, dimensions in an instance
// section or beside it.
//
// What the shape is called does not matter. Its three data spaces say what each
// dimension is: one of input and output is part of M, one of weights and output
// of N, one of both inputs of K, one of all three repeats the layer. Input
// projections that add two dimensions (R·dilation + P·stride) are the window of
// a convolution; the input is what they span, padding included.
package timeloop
