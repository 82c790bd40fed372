package zoo

import "fmt"

func yoloV5Large() network {
	return network{
		Info: Info{
			Name: "yolov5l", Title: "YOLOv5l (v6.0)", Kind: Image, DefaultImage: 640,
			Source: "Ultralytics YOLOv5, release v6.0, yolov5l",
		},
		build: buildYOLOv5,
	}
}

// buildYOLOv5 adds a backbone of cross-stage partial blocks, a path down and up
// again through three sizes, and a detector on each.
func buildYOLOv5(b *builder) {
	const stride, anchors, classes = 32, 3, 80
	b.note("Release v6.0, 46.5 M parameters; v5.0 has 47.0 M, a slicing layer first and another pooling pyramid.")
	b.note("Batch normalization, SiLU, pooling, upsampling, concatenation and the decoding of boxes are no GEMMs.")
	if b.side%stride != 0 {
		b.fail("image is %d, want a multiple of %d for %s, whose feature maps are halved five times and doubled again", b.side, stride, b.network)
		return
	}
	x := b.conv("model.0.conv", b.input(3), convolution{out: 64, kernel: 6, stride: 2, pad: 2, norm: true})
	x = b.conv("model.1.conv", x, same(128, 3, 2))
	x = crossStage(b, "model.2", x, 128, 3)
	x = b.conv("model.3.conv", x, same(256, 3, 2))
	eighth := crossStage(b, "model.4", x, 256, 6)
	x = b.conv("model.5.conv", eighth, same(512, 3, 2))
	sixteenth := crossStage(b, "model.6", x, 512, 9)
	x = b.conv("model.7.conv", sixteenth, same(1024, 3, 2))
	x = crossStage(b, "model.8", x, 1024, 3)
	x = poolPyramid(b, "model.9", x)

	top := b.conv("model.10.conv", x, same(512, 1, 1))
	x = crossStage(b, "model.13", concat(upsample(top), sixteenth), 512, 3)
	middle := b.conv("model.14.conv", x, same(256, 1, 1))
	small := crossStage(b, "model.17", concat(upsample(middle), eighth), 256, 3)
	x = b.conv("model.18.conv", small, same(256, 3, 2))
	medium := crossStage(b, "model.20", concat(x, middle), 512, 3)
	x = b.conv("model.21.conv", medium, same(512, 3, 2))
	large := crossStage(b, "model.23", concat(x, top), 1024, 3)
	for i, x := range []feature{small, medium, large} {
		b.conv(fmt.Sprintf("model.24.m.%d", i), x, convolution{out: anchors * (5 + classes), kernel: 1, bias: true})
	}
}

// crossStage sends half of the channels through bottlenecks, half past them.
func crossStage(b *builder, name string, x feature, out int64, bottlenecks int) feature {
	y := b.conv(name+".cv1.conv", x, same(out/2, 1, 1))
	for i := range bottlenecks {
		y = b.conv(fmt.Sprintf("%s.m.%d.cv1.conv", name, i), y, same(out/2, 1, 1))
		y = b.conv(fmt.Sprintf("%s.m.%d.cv2.conv", name, i), y, same(out/2, 3, 1))
	}
	past := b.conv(name+".cv2.conv", x, same(out/2, 1, 1))
	return b.conv(name+".cv3.conv", concat(y, past), same(out, 1, 1))
}

// poolPyramid joins a narrowed map with three poolings of it that keep its size.
func poolPyramid(b *builder, name string, x feature) feature {
	y := b.conv(name+".cv1.conv", x, same(x.channels/2, 1, 1))
	return b.conv(name+".cv2.conv", concat(y, y, y, y), same(x.channels, 1, 1))
}

// upsample doubles the rows and columns.
func upsample(x feature) feature {
	x.h, x.w = 2*x.h, 2*x.w
	return x
}
