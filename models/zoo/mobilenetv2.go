package zoo

import "fmt"

func mobileNetV2() network {
	return network{
		Info: Info{
			Name: "mobilenetv2", Title: "MobileNetV2", Kind: Image, DefaultImage: 224,
			Source: "Sandler et al., MobileNetV2: Inverted Residuals and Linear Bottlenecks, arXiv:1801.04381, table 2",
		},
		build: buildMobileNetV2,
	}
}

func buildMobileNetV2(b *builder) {
	b.note("A depthwise convolution is a batch of one GEMM per channel, with N = 1.")
	b.note("Batch normalization, ReLU6, pooling and residual additions are no GEMMs.")
	x := b.conv("features.0.0", b.input(3), same(32, 3, 2))
	index := 1
	for _, stage := range []struct {
		expansion, out int64
		blocks         int
		stride         int64
	}{
		{1, 16, 1, 1},
		{6, 24, 2, 2},
		{6, 32, 3, 2},
		{6, 64, 4, 2},
		{6, 96, 3, 1},
		{6, 160, 3, 2},
		{6, 320, 1, 1},
	} {
		for i := range stage.blocks {
			stride := int64(1)
			if i == 0 {
				stride = stage.stride
			}
			x = invertedResidual(b, fmt.Sprintf("features.%d.conv", index), x, stage.expansion, stage.out, stride)
			index++
		}
	}
	x = b.conv(fmt.Sprintf("features.%d.0", index), x, same(1280, 1, 1))
	b.classifier("classifier.1", x.channels, 1000)
}

// invertedResidual widens by a 1x1, filters each channel and narrows by a 1x1.
func invertedResidual(b *builder, name string, x feature, expansion, out, stride int64) feature {
	part := 0
	if expansion > 1 {
		x = b.conv(fmt.Sprintf("%s.%d.0", name, part), x, same(x.channels*expansion, 1, 1))
		part++
	}
	x = b.conv(fmt.Sprintf("%s.%d.0", name, part), x, depthwise(x.channels, 3, stride))
	return b.conv(fmt.Sprintf("%s.%d", name, part+1), x, same(out, 1, 1))
}
