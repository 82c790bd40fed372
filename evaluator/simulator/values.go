package simulator

import "github.com/npu-tune/npu-tune/space"

// tileValues are the numbers of one tile in a slot or in DRAM.
type tileValues[T number] struct {
	size   extents // along m, n, k; what lies beyond the layer is cut off
	stride extents // in values, of the dimensions that the tensor has
	values []T
	// Pixels of a convolution: place maps (m, k) to a value, -1 in the
	// padding, and pixels says where each value lies in the images.
	place  []int32
	pixels []int64
}

// at returns the value's position for indices inside the tile, -1: a zero.
func (b *tileValues[T]) at(m, n, k int64) int64 {
	i := m*b.stride[space.M] + n*b.stride[space.N] + k*b.stride[space.K]
	if b.place != nil {
		return int64(b.place[i])
	}
	return i
}

func (b *tileValues[T]) get(m, n, k int64) T {
	if i := b.at(m, n, k); i >= 0 {
		return b.values[i]
	}
	return 0
}

func (b *tileValues[T]) add(m, n, k int64, v T) {
	if i := b.at(m, n, k); i >= 0 {
		b.values[i] += v
	}
}

// copyOf returns the same tile with values of its own.
func (b *tileValues[T]) copyOf() *tileValues[T] {
	c := *b
	c.values = append([]T(nil), b.values...)
	return &c
}

// gather lists the distinct pixels that the tile of origin and size touches.
func (b *tileValues[T]) gather(w window, channels int64, origin extents) {
	seen := map[int64]int32{}
	b.place = make([]int32, 0, b.size[space.M]*b.size[space.K])
	for m := range b.size[space.M] {
		for k := range b.size[space.K] {
			px := w.pixel(channels, origin[space.M]+m, origin[space.K]+k)
			at, ok := seen[px]
			switch {
			case px < 0:
				at = -1
			case !ok:
				at = int32(len(b.pixels))
				seen[px] = at
				b.pixels = append(b.pixels, px)
			}
			b.place = append(b.place, at)
		}
	}
	b.values = make([]T, len(b.pixels))
}
