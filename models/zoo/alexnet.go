package zoo

func alexNet() network {
	return network{
		Info: Info{
			Name: "alexnet", Title: "AlexNet (one tower)", Kind: Image, DefaultImage: 224,
			Source: "Krizhevsky, One weird trick for parallelizing convolutional neural networks, arXiv:1404.5997, as in torchvision",
		},
		build: buildAlexNet,
	}
}

func buildAlexNet(b *builder) {
	b.note("The single-tower network of 2014, without groups, not the two towers of 2012.")
	b.note("Features are pooled to 6x6 before the linear layers whatever the image, as in torchvision.")
	b.note("ReLU, pooling and dropout are no GEMMs.")
	x := b.conv("features.0", b.input(3), convolution{out: 64, kernel: 11, stride: 4, pad: 2, bias: true})
	x = b.pool("features.2", x, 3, 2, 0)
	x = b.conv("features.3", x, convolution{out: 192, kernel: 5, pad: 2, bias: true})
	x = b.pool("features.5", x, 3, 2, 0)
	x = b.conv("features.6", x, convolution{out: 384, kernel: 3, pad: 1, bias: true})
	x = b.conv("features.8", x, convolution{out: 256, kernel: 3, pad: 1, bias: true})
	x = b.conv("features.10", x, convolution{out: 256, kernel: 3, pad: 1, bias: true})
	x = b.pool("features.12", x, 3, 2, 0)
	b.classifier("classifier.1", x.channels*6*6, 4096)
	b.classifier("classifier.4", 4096, 4096)
	b.classifier("classifier.6", 4096, 1000)
}
