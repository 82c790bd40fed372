package zoo

import "fmt"

func resNet18() network {
	return network{
		Info: Info{
			Name: "resnet18", Title: "ResNet-18", Kind: Image, DefaultImage: 224,
			Source: "He et al., Deep Residual Learning for Image Recognition, arXiv:1512.03385",
		},
		build: func(b *builder) { buildResNet(b, basicBlock, 1, [4]int{2, 2, 2, 2}) },
	}
}

func resNet50() network {
	return network{
		Info: Info{
			Name: "resnet50", Title: "ResNet-50 v1.5", Kind: Image, DefaultImage: 224,
			Source: "He et al., Deep Residual Learning for Image Recognition, arXiv:1512.03385; stride in the 3x3 as in torchvision",
		},
		build: func(b *builder) {
			b.note("Version 1.5: a bottleneck that halves the image does so in its 3x3, not in its first 1x1.")
			buildResNet(b, bottleneck, 4, [4]int{3, 4, 6, 3})
		},
	}
}

// residual adds the layers of a block on the main path and returns its output.
type residual func(b *builder, name string, x feature, width, stride int64) feature

func buildResNet(b *builder, block residual, expansion int64, depth [4]int) {
	b.note("Batch normalization, ReLU, pooling and residual additions are no GEMMs.")
	x := b.conv("conv1", b.input(3), same(64, 7, 2))
	x = b.pool("maxpool", x, 3, 2, 1)
	for stage, blocks := range depth {
		width := int64(64) << stage
		for i := range blocks {
			stride := int64(1)
			if stage > 0 && i == 0 {
				stride = 2
			}
			name := fmt.Sprintf("layer%d.%d", stage+1, i)
			y := block(b, name, x, width, stride)
			if stride != 1 || x.channels != y.channels {
				b.conv(name+".downsample.0", x, same(width*expansion, 1, stride))
			}
			x = y
		}
	}
	b.classifier("fc", x.channels, 1000)
}

// basicBlock is two 3x3 convolutions.
func basicBlock(b *builder, name string, x feature, width, stride int64) feature {
	y := b.conv(name+".conv1", x, same(width, 3, stride))
	return b.conv(name+".conv2", y, same(width, 3, 1))
}

// bottleneck is a 3x3 convolution between two 1x1 that narrow and widen.
func bottleneck(b *builder, name string, x feature, width, stride int64) feature {
	y := b.conv(name+".conv1", x, same(width, 1, 1))
	y = b.conv(name+".conv2", y, same(width, 3, stride))
	return b.conv(name+".conv3", y, same(width*4, 1, 1))
}
