package zoo

func squeezeNet() network {
	return network{
		Info: Info{
			Name: "squeezenet", Title: "SqueezeNet 1.0", Kind: Image, DefaultImage: 224,
			Source: "Iandola et al., SqueezeNet, arXiv:1602.07360, version 1.0 as in torchvision",
		},
		build: buildSqueezeNet,
	}
}

func buildSqueezeNet(b *builder) {
	b.note("ReLU, pooling, concatenation and dropout are no GEMMs. The classifier is a 1x1 convolution, pooled afterwards.")
	x := b.conv("features.0", b.input(3), convolution{out: 96, kernel: 7, stride: 2, bias: true})
	x = b.poolCeil("features.2", x, 3, 2)
	x = fire(b, "features.3", x, 16)
	x = fire(b, "features.4", x, 16)
	x = fire(b, "features.5", x, 32)
	x = b.poolCeil("features.6", x, 3, 2)
	x = fire(b, "features.7", x, 32)
	x = fire(b, "features.8", x, 48)
	x = fire(b, "features.9", x, 48)
	x = fire(b, "features.10", x, 64)
	x = b.poolCeil("features.11", x, 3, 2)
	x = fire(b, "features.12", x, 64)
	b.conv("classifier.1", x, convolution{out: 1000, kernel: 1, bias: true})
}

// fire squeezes by a 1x1 and expands fourfold by a 1x1 and a 3x3 side by side.
func fire(b *builder, name string, x feature, squeeze int64) feature {
	x = b.conv(name+".squeeze", x, convolution{out: squeeze, kernel: 1, bias: true})
	y := b.conv(name+".expand1x1", x, convolution{out: 4 * squeeze, kernel: 1, bias: true})
	z := b.conv(name+".expand3x3", x, convolution{out: 4 * squeeze, kernel: 3, pad: 1, bias: true})
	return concat(y, z)
}
