package zoo

import "github.com/npu-tune/npu-tune/models"

// feature is a feature map of one image.
type feature struct {
	channels, h, w int64
	// leaf says that nothing trainable lies below, so the layer that reads it
	// computes no gradient of it.
	leaf bool
}

// input returns the network's input: square images of that many channels.
func (b *builder) input(channels int64) feature {
	return feature{channels: channels, h: b.side, w: b.side, leaf: true}
}

// convolution says what a convolution with a square filter does to its input.
type convolution struct {
	out    int64 // output channels
	kernel int64 // rows and columns of the filter
	stride int64 // 0 means 1
	pad    int64 // on each side
	groups int64 // 0 means 1
	bias   bool  // a bias per output channel
	norm   bool  // followed by batch normalization: scale and shift per output channel
}

// same returns a convolution padded so that stride 1 keeps the size, followed
// by batch normalization: the brick of most networks.
func same(out, kernel, stride int64) convolution {
	return convolution{out: out, kernel: kernel, stride: stride, pad: kernel / 2, norm: true}
}

// depthwise is same with one filter per channel.
func depthwise(channels, kernel, stride int64) convolution {
	c := same(channels, kernel, stride)
	c.groups = channels
	return c
}

// conv adds a convolution of x as a GEMM per group with M = images·P·Q,
// N = out/groups, K = channels·kernel²/groups and Batch = groups, and returns
// the feature map that it makes.
func (b *builder) conv(name string, x feature, c convolution) feature {
	groups, stride := max(c.groups, 1), max(c.stride, 1)
	y := feature{
		channels: c.out,
		h:        b.slide(name, x.h, c.kernel, stride, c.pad, 0),
		w:        b.slide(name, x.w, c.kernel, stride, c.pad, 0),
	}
	b.layers = append(b.layers, models.Layer{
		Name: name,
		M:    b.product(name, b.images, y.h, y.w),
		N:    c.out / groups,
		K:    x.channels / groups * c.kernel * c.kernel,
		Conv: &models.Conv{
			H: x.h, W: x.w, P: y.h, Q: y.w, R: c.kernel, S: c.kernel,
			StrideH: stride, StrideW: stride, DilationH: 1, DilationW: 1, PadH: c.pad, PadW: c.pad,
		},
		NoInputGrad: x.leaf,
	})
	if groups > 1 {
		b.layers[len(b.layers)-1].Batch = groups
	}
	if c.bias {
		b.other += c.out
	}
	if c.norm {
		b.norm(c.out, true)
	}
	return y
}

// pool returns the feature map that a square pooling window makes of x.
func (b *builder) pool(name string, x feature, kernel, stride, pad int64) feature {
	x.h = b.slide(name, x.h, kernel, stride, pad, 0)
	x.w = b.slide(name, x.w, kernel, stride, pad, 0)
	return x
}

// poolCeil is pool without padding, where a last window may hang over the edge.
func (b *builder) poolCeil(name string, x feature, kernel, stride int64) feature {
	x.h = b.slide(name, x.h, kernel, stride, 0, stride-1)
	x.w = b.slide(name, x.w, kernel, stride, 0, stride-1)
	return x
}

// slide returns how many positions a window has along an extent with that many
// elements of padding on each side, if it may hang over the far edge by so many.
func (b *builder) slide(name string, extent, kernel, stride, pad, over int64) int64 {
	room := extent + 2*pad + over - kernel
	if room < 0 {
		b.fail("image is %d, too small for %s: %s would slide a window of %d over %d", b.side, b.network, name, kernel, extent+2*pad)
		return 1
	}
	return room/stride + 1
}

// classifier adds the linear layer that ends an image network: a row per image.
func (b *builder) classifier(name string, in, out int64) { b.linear(name, b.images, in, out, true) }

// concat joins feature maps of one size along the channels.
func concat(x feature, more ...feature) feature {
	for _, y := range more {
		x.channels += y.channels
		x.leaf = x.leaf && y.leaf
	}
	return x
}
