package space

import "fmt"

// Dim is a dimension of the layer's GEMM Y[m,n] = X[m,k]·W[k,n].
type Dim uint8

// The three dimensions.
const (
	M Dim = iota
	N
	K
	NumDims
)

// String returns "m", "n" or "k".
func (d Dim) String() string {
	if d < NumDims {
		return "mnk"[d : d+1]
	}
	return fmt.Sprintf("dim(%d)", uint8(d))
}

// Order lists an operation's loops, outermost first.
type Order [NumDims]Dim

// Orders are the six loop orders.
var Orders = [6]Order{{M, N, K}, {M, K, N}, {N, M, K}, {N, K, M}, {K, M, N}, {K, N, M}}

// Position returns where d stands in the order: 1 outermost to 3 innermost.
func (o Order) Position(d Dim) int {
	for i, x := range o {
		if x == d {
			return i + 1
		}
	}
	return 0
}

// String returns, say, "m n k".
func (o Order) String() string { return o[0].String() + " " + o[1].String() + " " + o[2].String() }

// Op is one of the three GEMMs of a layer's training step.
type Op uint8

// The operations of the cost model's section 1.
const (
	Fwd Op = iota // Y = X·W
	DX            // dX = dY·Wᵀ
	DW            // dW = Xᵀ·dY
	NumOps
)

var opNames = [NumOps]string{"fwd", "dx", "dw"}

// String returns "fwd", "dx" or "dw".
func (o Op) String() string {
	if o < NumOps {
		return opNames[o]
	}
	return fmt.Sprintf("op(%d)", uint8(o))
}

// Reduction returns the dimension that the operation sums over.
func (o Op) Reduction() Dim { return [NumOps]Dim{K, N, M}[o] }

// Rows returns the dimension of the result's rows.
func (o Op) Rows() Dim { return [NumOps]Dim{M, M, K}[o] }

// Columns returns the dimension of the result's columns.
func (o Op) Columns() Dim { return [NumOps]Dim{N, K, N}[o] }

// Tensor is one of a layer's tensors or gradients.
type Tensor uint8

// The tensors, with their dimensions.
const (
	X     Tensor = iota // X[m,k]
	W                   // W[k,n]
	Y                   // Y[m,n]
	GradX               // dX[m,k]
	GradW               // dW[k,n]
	GradY               // dY[m,n]
	NumTensors
)

var tensorNames = [NumTensors]string{"x", "w", "y", "dx", "dw", "dy"}

// String returns "x", "w", "y", "dx", "dw" or "dy".
func (t Tensor) String() string {
	if t < NumTensors {
		return tensorNames[t]
	}
	return fmt.Sprintf("tensor(%d)", uint8(t))
}

// Lacks returns the one dimension that the tensor does not have: n for X and
// dX, m for W and dW, k for Y and dY.
func (t Tensor) Lacks() Dim { return [NumTensors]Dim{N, M, K, N, M, K}[t] }

// Has reports whether d is one of the tensor's two dimensions.
func (t Tensor) Has(d Dim) bool { return t.Lacks() != d }

// Tensor returns the operation's operand that lacks d. It is how OpSchedule
// indexes hold levels: each operation touches exactly one tensor that lacks
// each dimension.
func (o Op) Tensor(lacks Dim) Tensor {
	return [NumOps][NumDims]Tensor{
		Fwd: {M: W, N: X, K: Y},
		DX:  {M: W, N: GradX, K: GradY},
		DW:  {M: GradW, N: X, K: GradY},
	}[o][lacks]
}

// Output returns the tensor that the operation writes; it lacks Reduction().
func (o Op) Output() Tensor { return o.Tensor(o.Reduction()) }

// Region is a part of the SPM: a tensor's, or one gradient's own dY.
type Region uint8

// Regions are named by their tensor; dY by DYRegion only where it is one
// region of both gradients.
const (
	XRegion Region = iota
	WRegion
	YRegion
	DXRegion
	DWRegion
	DYRegion // one dY for both gradients
	DYOfDX   // "dy@dx"
	DYOfDW   // "dy@dw"
	NumRegions
)

var regionNames = [NumRegions]string{"x", "w", "y", "dx", "dw", "dy", "dy@dx", "dy@dw"}

// String returns the region's name in the JSON of a case.
func (r Region) String() string {
	if r < NumRegions {
		return regionNames[r]
	}
	return fmt.Sprintf("region(%d)", uint8(r))
}

// Tensor returns whose tiles the region holds.
func (r Region) Tensor() Tensor {
	if r >= DYRegion {
		return GradY
	}
	return Tensor(r)
}

// Pass is what one schedule runs.
type Pass uint8

// The passes of the cost model's section 2.
const (
	Forward  Pass = iota // fwd
	DWOnly               // dw alone: nothing trainable lies below the layer
	Backward             // dx and dw
	NumPasses
)

var passNames = [NumPasses]string{"forward", "dw", "backward"}

// String returns "forward", "dw" or "backward".
func (p Pass) String() string {
	if p < NumPasses {
		return passNames[p]
	}
	return fmt.Sprintf("pass(%d)", uint8(p))
}

var passOps = [NumPasses][]Op{{Fwd}, {DW}, {DX, DW}}

// Ops returns the pass's operations in the order in which they begin. The
// slice is shared: do not change it.
func (p Pass) Ops() []Op { return passOps[p] }
