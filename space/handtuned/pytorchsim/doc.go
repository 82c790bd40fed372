// Package pytorchsim reads and writes PyTorchSim's tile files: JSON that maps a
// GEMM "M_N_K" to the tile extents TILE_M, TILE_N and TILE_K that somebody tuned
// for it.
//
// A file says nothing of orders, holds or dataflows: it is a partial schedule.
// Every operation of a training step is a GEMM of its own: for the input
// gradient of an m × n × k layer it is m_k_n, for the weight gradient k_n_m.
package pytorchsim
