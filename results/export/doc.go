// Package export writes a schedule in forms that other programs read or run:
// C with explicit DMA calls, a NumPy script that checks itself, Timeloop's
// mapping, tables of tiles.
package export
