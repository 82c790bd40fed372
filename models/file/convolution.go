package file

import (
	"strconv"

	"github.com/npu-tune/npu-tune/internal/yamltree"
	"github.com/npu-tune/npu-tune/models"
)

// convolution lowers a layer that is written as a convolution of images to its
// GEMM: M = images·P·Q, N = filters/groups, K = channels/groups·R·S, repeated
// groups times, where P = (height + padding - dilation·(R-1) - 1) / stride + 1,
// rounded down, and Q likewise.
func convolution(f *yamltree.Fields, l *models.Layer) {
	before := len(f.Problems())
	images := f.Int("images", 1, models.MaxDim, 1)
	channels, filters := need(f, "channels", 1), need(f, "filters", 1)
	groups := f.Int("groups", 1, models.MaxDim, 1)
	c := models.Conv{H: need(f, "height", 1), W: need(f, "width", 1)}
	if !f.Has("kernel") {
		f.Missing("kernel", "its rows and columns, such as 3 or [3, 3]")
	}
	c.R, c.S = pair(f, "kernel", 1)
	c.StrideH, c.StrideW = pair(f, "stride", 1)
	c.DilationH, c.DilationW = pair(f, "dilation", 1)
	pads := padding(f)
	c.PadH, c.PadW = pads[0], pads[1]
	whole(f, "channels", channels, groups)
	whole(f, "filters", filters, groups)
	if len(f.Problems()) > before {
		return
	}
	c.P = slide(f, "height", c.H, pads[0]+pads[2], c.R, c.StrideH, c.DilationH)
	c.Q = slide(f, "width", c.W, pads[1]+pads[3], c.S, c.StrideW, c.DilationW)
	l.M = product(f, "images·P·Q", images, c.P, c.Q)
	l.K = product(f, "channels/groups·R·S", channels/groups, c.R, c.S)
	l.N, l.Batch, l.Conv = filters/groups, groups, &c
}

// whole reports a number that groups do not divide.
func whole(f *yamltree.Fields, key string, n, groups int64) {
	if n%groups != 0 {
		f.Badf(key, "is %d, want a multiple of groups = %d", n, groups)
	}
}

// slide returns how many positions a window has along a padded extent.
func slide(f *yamltree.Fields, key string, extent, pad, kernel, stride, dilation int64) int64 {
	window := dilation*(kernel-1) + 1 // at most about 2⁶²
	if extent+pad < window {
		f.Badf(key, "is %d, %d with its padding, want at least %d, the filter's extent", extent, extent+pad, window)
		return 1
	}
	return (extent+pad-window)/stride + 1
}

// product multiplies factors of 1 to models.MaxDim, reporting a result beyond.
func product(f *yamltree.Fields, what string, factors ...int64) int64 {
	p := int64(1)
	for _, x := range factors {
		if p *= x; p > models.MaxDim {
			f.Here("is a convolution whose %s is more than %d", what, models.MaxDim)
			return 1
		}
	}
	return p
}

// pair reads one number for both axes, or rows and columns; 1 where there is
// none.
func pair(f *yamltree.Fields, key string, low int64) (rows, columns int64) {
	n := f.Value(key)
	switch {
	case n == nil:
		return 1, 1
	case n.Kind == yamltree.Int:
		v := f.Int(key, low, models.MaxDim, 1)
		return v, v
	case n.Kind == yamltree.List && len(n.Items) == 2:
		list := numbers(f, key, n.Items, low)
		return list[0], list[1]
	}
	f.Badf(key, "is %s, want a whole number, or two: rows and columns", n.Describe())
	return 1, 1
}

// padding reads the rows above, columns left, rows below and columns right.
func padding(f *yamltree.Fields) [4]int64 {
	const key = "padding"
	n := f.Value(key)
	switch {
	case n == nil:
		return [4]int64{}
	case n.Kind == yamltree.Int:
		v := f.Int(key, 0, models.MaxDim, 0)
		return [4]int64{v, v, v, v}
	case n.Kind == yamltree.List && len(n.Items) == 2:
		list := numbers(f, key, n.Items, 0)
		return [4]int64{list[0], list[1], list[0], list[1]}
	case n.Kind == yamltree.List && len(n.Items) == 4:
		return [4]int64(numbers(f, key, n.Items, 0))
	}
	f.Badf(key, "is %s, want a whole number, two (rows and columns), or four (above, left, below, right)", n.Describe())
	return [4]int64{}
}

// numbers reads a list of whole numbers of low to models.MaxDim.
func numbers(f *yamltree.Fields, key string, items []*yamltree.Node, low int64) []int64 {
	list := make([]int64, len(items))
	for i, n := range items {
		v, err := strconv.ParseInt(n.Text, 10, 64)
		if n.Kind != yamltree.Int || err != nil || v < low || v > models.MaxDim {
			f.Badf(key, "has %s, want whole numbers from %d to %d", n.Describe(), low, models.MaxDim)
			v = max(low, 1)
		}
		list[i] = v
	}
	return list
}
