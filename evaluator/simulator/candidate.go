package simulator

import (
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/space"
)

// reach is how far from the half of an extent shrinking looks for one that
// keeps the structure.
const reach = 1 << 10

// candidates lists layers whose dimension d is about half, the nearest to it
// first.
func (sh *shrinker) candidates(d space.Dim) []models.Layer {
	l := sh.p.Layer
	if l.Conv != nil && d == space.M {
		return outputs(l)
	}
	unit := int64(1)
	if l.Conv != nil && d == space.K {
		unit = l.Conv.R * l.Conv.S
	}
	count := sh.p.Dim(d) / unit
	var list []models.Layer
	for off := range min(count, reach) {
		for _, n := range [2]int64{count/2 + off, count/2 - off} {
			if n >= 1 && n < count {
				list = append(list, with(l, d, n*unit))
			}
		}
	}
	return list
}

func with(l models.Layer, d space.Dim, extent int64) models.Layer {
	switch d {
	case space.M:
		l.M = extent
	case space.N:
		l.N = extent
	default:
		l.K = extent
	}
	return l
}

// outputs lists convolutions with fewer images, output rows or columns: one
// of them about half first, then less of a cut.
func outputs(l models.Layer) []models.Layer {
	images := l.M / (l.Conv.P * l.Conv.Q)
	var list []models.Layer
	for off := range max(images, l.Conv.P, l.Conv.Q) {
		if off >= reach {
			break
		}
		if n := (images+1)/2 + off; n < images {
			list = append(list, cut(l, n, l.Conv.P, l.Conv.Q))
		}
		if n := (l.Conv.P+1)/2 + off; n < l.Conv.P {
			list = append(list, cut(l, images, n, l.Conv.Q))
		}
		if n := (l.Conv.Q+1)/2 + off; n < l.Conv.Q {
			list = append(list, cut(l, images, l.Conv.P, n))
		}
	}
	return list
}

// cut returns the convolution with so many images, output rows and columns;
// the input loses as much as the windows no longer reach.
func cut(l models.Layer, images, p, q int64) models.Layer {
	c := *l.Conv
	c.H = max(1, c.H-(c.P-p)*c.StrideH)
	c.W = max(1, c.W-(c.Q-q)*c.StrideW)
	c.P, c.Q = p, q
	l.M, l.Conv = images*p*q, &c
	return l
}
