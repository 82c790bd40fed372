package zoo

import "fmt"

func fasterRCNN() network {
	return network{
		Info: Info{
			Name: "fasterrcnn", Title: "Faster R-CNN, MobileNetV3-Large with feature pyramid", Kind: Image, DefaultImage: 800,
			Source: "Ren et al., Faster R-CNN, arXiv:1506.01497; torchvision's fasterrcnn_mobilenet_v3_large_fpn",
		},
		build: buildFasterRCNN,
	}
}

func buildFasterRCNN(b *builder) {
	const channels, anchors, classes, regions = 256, 15, 91, 512
	b.note("The backbone is MobileNetV3-Large with a feature pyramid, torchvision's network of 19.4 M parameters; those with ResNet-50 have 41.8 M, the published one with VGG-16 137 M.")
	b.note("All layers are trained, from the first on. Batch normalization is frozen and holds no parameters.")
	b.note("The heads see 512 sampled regions an image, as in training.")
	b.note("Images are square, by default 800, the shorter side that training scales to.")
	b.note("The region proposal head runs on three levels with the same weights; they are counted on the first.")
	b.note("Activation functions, pooling, upsampling, region pooling and the choice of regions are no GEMMs.")

	maps := mobileNetV3Features(b, "backbone.body")
	levels := pyramid(b, []feature{maps[13], maps[16]}, channels)
	for i, x := range levels {
		first := len(b.layers)
		level := fmt.Sprintf(".level%d", i)
		y := b.conv("rpn.head.conv.0.0"+level, x, convolution{out: channels, kernel: 3, pad: 1, bias: i == 0})
		b.conv("rpn.head.cls_logits"+level, y, convolution{out: anchors, kernel: 1, bias: i == 0})
		b.conv("rpn.head.bbox_pred"+level, y, convolution{out: 4 * anchors, kernel: 1, bias: i == 0})
		if i > 0 {
			b.shared(first)
		}
	}
	rows := b.product("roi_heads", b.images, regions)
	b.linear("roi_heads.box_head.fc6", rows, channels*7*7, 1024, true)
	b.linear("roi_heads.box_head.fc7", rows, 1024, 1024, true)
	b.linear("roi_heads.box_predictor.cls_score", rows, 1024, classes, true)
	b.linear("roi_heads.box_predictor.bbox_pred", rows, 1024, 4*classes, true)
}

// pyramid brings feature maps to the same channels, from the smallest on, and
// adds one more level by taking every other pixel of the smallest.
func pyramid(b *builder, maps []feature, channels int64) []feature {
	levels := make([]feature, len(maps))
	for i := len(maps) - 1; i >= 0; i-- {
		x := b.conv(fmt.Sprintf("backbone.fpn.inner_blocks.%d.0", i), maps[i], convolution{out: channels, kernel: 1, bias: true})
		levels[i] = b.conv(fmt.Sprintf("backbone.fpn.layer_blocks.%d.0", i), x, convolution{out: channels, kernel: 3, pad: 1, bias: true})
	}
	return append(levels, b.pool("backbone.fpn.extra_blocks", levels[len(levels)-1], 1, 2, 0))
}

// shared marks the layers from that index on as using weights that are counted
// elsewhere (models.Model.Parameters).
func (b *builder) shared(from int) {
	for i := range b.layers[from:] {
		b.layers[from+i].Activations = true
	}
}
