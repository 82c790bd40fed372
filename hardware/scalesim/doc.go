// Package scalesim reads SCALE-Sim's configurations as NPUs.
//
// A configuration gives the array, three SRAMs (inputs, filters, outputs), the
// dataflow and a bandwidth in words a cycle. It gives neither clock nor word
// width nor energies: a clock of 1 GHz and words of one byte, partial sums too,
// as SCALE-Sim counts them, are assumed, and no energies. The bandwidth is
// taken for the one interface to DRAM that everything shares, without latency.
package scalesim
