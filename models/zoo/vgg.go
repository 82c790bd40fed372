package zoo

import "fmt"

func vgg16() network {
	return network{
		Info: Info{
			Name: "vgg16", Title: "VGG-16", Kind: Image, DefaultImage: 224,
			Source: "Simonyan and Zisserman, Very Deep Convolutional Networks, arXiv:1409.1556, configuration D",
		},
		build: func(b *builder) { buildVGG(b, [5]int{2, 2, 3, 3, 3}) },
	}
}

func vgg19() network {
	return network{
		Info: Info{
			Name: "vgg19", Title: "VGG-19", Kind: Image, DefaultImage: 224,
			Source: "Simonyan and Zisserman, Very Deep Convolutional Networks, arXiv:1409.1556, configuration E",
		},
		build: func(b *builder) { buildVGG(b, [5]int{2, 2, 4, 4, 4}) },
	}
}

// buildVGG adds five stages of 3x3 convolutions, each followed by a pooling that
// halves the image, and three linear layers on 7x7 pooled features.
func buildVGG(b *builder, depth [5]int) {
	b.note("Features are pooled to 7x7 before the linear layers whatever the image, as in torchvision.")
	b.note("ReLU, pooling and dropout are no GEMMs.")
	x := b.input(3)
	index := 0 // position in PyTorch's nn.Sequential, where ReLU and pooling count too
	for stage, convs := range depth {
		for range convs {
			out := min(int64(64)<<stage, 512)
			x = b.conv(fmt.Sprintf("features.%d", index), x, convolution{out: out, kernel: 3, pad: 1, bias: true})
			index += 2
		}
		x = b.pool(fmt.Sprintf("features.%d", index), x, 2, 2, 0)
		index++
	}
	b.classifier("classifier.0", x.channels*7*7, 4096)
	b.classifier("classifier.3", 4096, 4096)
	b.classifier("classifier.6", 4096, 1000)
}
