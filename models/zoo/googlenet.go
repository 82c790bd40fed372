package zoo

func googLeNet() network {
	return network{
		Info: Info{
			Name: "googlenet", Title: "GoogLeNet (Inception v1)", Kind: Image, DefaultImage: 224,
			Source: "Szegedy et al., Going Deeper with Convolutions, arXiv:1409.4842, table 1",
		},
		build: buildGoogLeNet,
	}
}

func buildGoogLeNet(b *builder) {
	b.note("The 5x5 branches are 5x5, with biases and no batch normalization, as published; torchvision has 3x3 there.")
	b.note("The two auxiliary classifiers, which only some training runs use, are left out.")
	b.note("ReLU, pooling, local response normalization and concatenation are no GEMMs.")
	x := b.conv("conv1", b.input(3), convolution{out: 64, kernel: 7, stride: 2, pad: 3, bias: true})
	x = b.poolCeil("maxpool1", x, 3, 2)
	x = b.conv("conv2", x, convolution{out: 64, kernel: 1, bias: true})
	x = b.conv("conv3", x, convolution{out: 192, kernel: 3, pad: 1, bias: true})
	x = b.poolCeil("maxpool2", x, 3, 2)
	x = inception(b, "inception3a", x, branches{64, 96, 128, 16, 32, 32})
	x = inception(b, "inception3b", x, branches{128, 128, 192, 32, 96, 64})
	x = b.poolCeil("maxpool3", x, 3, 2)
	x = inception(b, "inception4a", x, branches{192, 96, 208, 16, 48, 64})
	x = inception(b, "inception4b", x, branches{160, 112, 224, 24, 64, 64})
	x = inception(b, "inception4c", x, branches{128, 128, 256, 24, 64, 64})
	x = inception(b, "inception4d", x, branches{112, 144, 288, 32, 64, 64})
	x = inception(b, "inception4e", x, branches{256, 160, 320, 32, 128, 128})
	x = b.poolCeil("maxpool4", x, 3, 2)
	x = inception(b, "inception5a", x, branches{256, 160, 320, 32, 128, 128})
	x = inception(b, "inception5b", x, branches{384, 192, 384, 48, 128, 128})
	b.classifier("fc", x.channels, 1000)
}

// branches are the output channels of an inception block's convolutions.
type branches struct{ one, reduce3, three, reduce5, five, pool int64 }

// inception adds four branches side by side: a 1x1, a 3x3 and a 5x5 behind 1x1
// that narrow, and a 1x1 behind a pooling that keeps the size.
func inception(b *builder, name string, x feature, c branches) feature {
	one := b.conv(name+".branch1", x, convolution{out: c.one, kernel: 1, bias: true})
	three := b.conv(name+".branch2.0", x, convolution{out: c.reduce3, kernel: 1, bias: true})
	three = b.conv(name+".branch2.1", three, convolution{out: c.three, kernel: 3, pad: 1, bias: true})
	five := b.conv(name+".branch3.0", x, convolution{out: c.reduce5, kernel: 1, bias: true})
	five = b.conv(name+".branch3.1", five, convolution{out: c.five, kernel: 5, pad: 2, bias: true})
	pool := b.conv(name+".branch4.1", x, convolution{out: c.pool, kernel: 1, bias: true})
	return concat(one, three, five, pool)
}
