// Package onnx imports ONNX files as models: it reads the graph off the wire,
// infers shapes, and turns every node that multiplies matrices into layers.
//
// Weights are never decoded and external data is never opened: only the graph,
// the shapes of its tensors and the few small constants that shape arithmetic
// needs are read, so a file of gigabytes costs no more than its graph.
//
// # Layers
//
// A layer is Y[M,N] = X[M,K]·W[K,N], repeated Batch times:
//
//   - Conv (also QLinearConv, ConvInteger, FusedConv): M = images·P·Q,
//     N = outputs/groups, K = channels/groups·R·S, Batch = groups, with its
//     window. One dimension is an image of one row. Three dimensions are
//     images of one depth each whose channels are channels·filter depth, so
//     that halos between depths count for each depth.
//   - ConvTranspose: its forward pass is the input gradient of a convolution.
//     M = images·input positions, N = outputs/groups·R·S, K = channels/groups,
//     Batch = groups, without a window: the windows overlap in what it writes,
//     and adding them up takes no multiplications.
//   - MatMul, Gemm and Einsum of an activation and a constant: dimensions that
//     only the activation has fold into M. A constant on the left is the
//     transposed product.
//   - MatMul and Einsum of two activations: Activations is set; dimensions that
//     both have are Batch, those that only one has fold into its side.
//   - LSTM, GRU, RNN: one projection of all steps' inputs (M = steps·batch), and
//     a recurrent product per step, whose weights all steps share.
//   - Attention: the two products of each head.
//
// # Gradients and parameters
//
// A layer needs the gradient of its input if something trainable lies upstream:
// the weights of another layer, an embedding, a normalization, a bias. What is
// trainable is a floating-point initializer in such a place; running statistics
// and scalars are not. Model.OtherParameters are the trainable elements that no
// layer holds. Weights that several nodes use count once: all layers but the
// first have Activations set, as models.Layer asks.
package onnx
