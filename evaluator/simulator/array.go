package simulator

import (
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/space"
)

// arrayWork is one tile operation on the array: rows × columns of the result
// and the length of the sum.
type arrayWork struct{ rows, columns, reduction int64 }

func workOf(op space.Op, e extents) arrayWork {
	switch op {
	case space.Fwd:
		return arrayWork{e[space.M], e[space.N], e[space.K]}
	case space.DX:
		return arrayWork{e[space.M], e[space.K], e[space.N]}
	default:
		return arrayWork{e[space.K], e[space.N], e[space.M]}
	}
}

// cycles returns how long the array takes (cost model section 5).
func (w arrayWork) cycles(hw *hardware.Params, f hardware.Dataflow) int64 {
	var down, across, stream, fill int64
	switch f {
	case hardware.OS:
		down, across, stream, fill = w.rows, w.columns, w.reduction, hw.Rows+hw.Cols-2
	case hardware.WS:
		down, across, stream, fill = w.reduction, w.columns, w.rows, 2*hw.Rows+hw.Cols-2
	default:
		down, across, stream, fill = w.reduction, w.rows, w.columns, 2*hw.Rows+hw.Cols-2
	}
	n := folds(down, hw.Rows) * folds(across, hw.Cols)
	if hw.Pipelined {
		return n*max(stream, hw.Rows) + fill
	}
	return n * (stream + fill)
}

// spmBytes returns what the array reads and writes in the SPM (cost model
// section 7); fromZero says that no operation has touched the result before.
func (w arrayWork) spmBytes(hw *hardware.Params, f hardware.Dataflow, fromZero bool) int64 {
	left, right := w.rows*w.reduction, w.reduction*w.columns
	sums := int64(1)
	switch f {
	case hardware.OS:
		left *= folds(w.columns, hw.Cols)
		right *= folds(w.rows, hw.Rows)
	case hardware.WS:
		left *= folds(w.columns, hw.Cols)
		sums = folds(w.reduction, hw.Rows)
	default:
		right *= folds(w.rows, hw.Cols)
		sums = folds(w.reduction, hw.Rows)
	}
	passes := 2 * sums
	if fromZero {
		passes--
	}
	return (left+right)*hw.BytesIn + w.rows*w.columns*passes*hw.BytesAcc
}

// folds returns how many pieces of an array side cover a length.
func folds(length, side int64) int64 { return (length + side - 1) / side }
