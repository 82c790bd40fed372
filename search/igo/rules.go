package igo

import "fmt"

// Order is how the two gradients of a layer take turns.
type Order uint8

// The paper's three orders.
const (
	// Interleaving alternates tile by tile, each gradient in its traditional
	// order: dX walks dY row by row, dW column by column.
	Interleaving Order = iota
	DXMajor            // both walk dY row by row
	DWMajor            // both walk dY column by column
	NumOrders
)

// String returns "interleaving", "dxmajor" or "dwmajor".
func (o Order) String() string {
	if o < NumOrders {
		return [NumOrders]string{"interleaving", "dxmajor", "dwmajor"}[o]
	}
	return fmt.Sprintf("order(%d)", uint8(o))
}

// Algorithm1 chooses by the shape, as the paper's algorithm 1 is printed.
func Algorithm1(m, n, k int64) Order {
	switch large, small := max(m, n, k), min(m, n, k); {
	case large/small < 4: // the quotient rounded down is below 4 exactly where the ratio is
		return Interleaving
	case k > n && k > m:
		return DWMajor
	}
	return DXMajor
}

// Prose chooses as the paper's text explains it: the order that keeps the
// larger gradient's sums, dX's m·k or dW's k·n elements, on the chip.
func Prose(m, n, k int64) Order {
	switch large, small := max(m, n, k), min(m, n, k); {
	case large/small < 4:
		return Interleaving
	case m > n:
		return DXMajor
	}
	return DWMajor
}

// Partition is what the parts of a layer share.
type Partition uint8

// The ways to part a layer.
const (
	Whole         Partition = iota // one part
	WeightSharing                  // m is split: W is read by all parts, dW is summed over them
	InputSharing                   // n is split: X is read by all parts, dX is summed over them
	DYSharing                      // k is split: dY is read by all parts, nothing is summed
	NumPartitions
)

// String returns "whole" or what the parts share.
func (p Partition) String() string {
	if p < NumPartitions {
		return [NumPartitions]string{"whole", "weight-sharing", "ifmap-sharing", "dY-sharing"}[p]
	}
	return fmt.Sprintf("partition(%d)", uint8(p))
}
