package zoo

import "fmt"

func mobileNet() network {
	return network{
		Info: Info{
			Name: "mobilenet", Title: "MobileNet v1", Kind: Image, DefaultImage: 224,
			Source: "Howard et al., MobileNets, arXiv:1704.04861, table 1",
		},
		build: buildMobileNet,
	}
}

func buildMobileNet(b *builder) {
	b.note("A depthwise convolution is a batch of one GEMM per channel, with N = 1.")
	b.note("Batch normalization, ReLU and pooling are no GEMMs.")
	x := b.conv("model.0.0", b.input(3), same(32, 3, 2))
	for i, block := range []struct{ out, stride int64 }{
		{64, 1},
		{128, 2}, {128, 1},
		{256, 2}, {256, 1},
		{512, 2}, {512, 1}, {512, 1}, {512, 1}, {512, 1}, {512, 1},
		{1024, 2}, {1024, 1},
	} {
		name := fmt.Sprintf("model.%d", i+1)
		x = b.conv(name+".0", x, depthwise(x.channels, 3, block.stride))
		x = b.conv(name+".3", x, same(block.out, 1, 1))
	}
	b.classifier("fc", x.channels, 1000)
}
