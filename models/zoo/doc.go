// Package zoo builds well-known networks as lists of GEMM layers from their
// architecture: blocks, strides and channels, not tables of numbers.
//
// A network is a file that ends in a function returning a network, and a line
// in registry.go. Batch, image side or sequence length are parameters; MACs
// and parameters agree with published counts, which the tests name.
//
// Defaults are those of the publications. A step has 4 images, sequences or
// records. Images have 224 pixels a side (416 for YOLOv2-tiny, 640 for YOLOv5l,
// 800 for Faster R-CNN), sequences 128 tokens for BERT, 512 for T5, 1024 for
// GPT-2, 2048 for GPT-3 and 8192 for Llama 3.
//
// What is a layer: every operation that multiplies matrices, one entry for each
// occurrence, in forward order and named as in the usual PyTorch code.
// Convolutions carry their window, 1x1 ones too. The two matmuls of attention
// are layers of two activations. Pooling, normalization, elementwise operations
// and table look-ups are none; their parameters are in Model.OtherParameters.
package zoo
