package export

import (
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// boxes returns the most elements that the boxes of pixels of a tile of X take
// in an operation: each image's rows and columns that the tile touches, of the
// channels that it touches. Tiles that begin inside a row of the output can
// touch more than the cost model's section 1 counts.
func boxes(p *space.Problem, a *operation) int64 {
	c := p.Layer.Conv
	var area, channels int64
	for core := range a.o.Parts(space.M) {
		end := min((core+1)*a.share[space.M], p.Layer.M)
		for m := core * a.share[space.M]; m < end; m += a.tile[space.M] {
			area = max(area, touched(c, m, min(m+a.tile[space.M], end)))
		}
	}
	rs := c.R * c.S
	for core := range a.o.Parts(space.K) {
		end := min((core+1)*a.share[space.K], p.Layer.K)
		for k := core * a.share[space.K]; k < end; k += a.tile[space.K] {
			channels = max(channels, (min(k+a.tile[space.K], end)-1)/rs-k/rs+1)
		}
	}
	return area * channels
}

// touched returns the pixels of one channel in the boxes of output pixels m0 to
// m1-1.
func touched(c *models.Conv, m0, m1 int64) int64 {
	image := c.P * c.Q
	var sum int64
	for i := m0 / image; i <= (m1-1)/image; i++ {
		first, last := max(m0-i*image, 0), min(m1-i*image, image)-1
		p0, p1 := first/c.Q, last/c.Q
		q0, q1 := int64(0), c.Q-1
		if p0 == p1 {
			q0, q1 = first%c.Q, last%c.Q
		}
		sum += length(p0*c.StrideH-c.PadH, p1*c.StrideH-c.PadH+(c.R-1)*c.DilationH, c.H) *
			length(q0*c.StrideW-c.PadW, q1*c.StrideW-c.PadW+(c.S-1)*c.DilationW, c.W)
	}
	return sum
}

// length returns how many of the indexes from first to last are within 0 to
// size-1.
func length(first, last, size int64) int64 {
	return max(0, min(last, size-1)-max(first, 0)+1)
}
