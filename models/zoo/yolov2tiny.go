package zoo

import "fmt"

func yoloV2Tiny() network {
	return network{
		Info: Info{
			Name: "yolov2-tiny", Title: "Tiny YOLOv2 (COCO)", Kind: Image, DefaultImage: 416,
			Source: "Redmon and Farhadi, YOLO9000, arXiv:1612.08242; Darknet's yolov2-tiny.cfg",
		},
		build: buildYOLOv2Tiny,
	}
}

func buildYOLOv2Tiny(b *builder) {
	const anchors, classes = 5, 80
	b.note("The network for COCO's 80 classes, 11 M parameters; the one for VOC is wider at the end and has 16 M.")
	b.note("Layers are numbered as in Darknet, poolings included.")
	b.note("Batch normalization, leaky ReLU, pooling and the decoding of boxes are no GEMMs.")
	x := b.input(3)
	for stage := range 6 {
		x = b.conv(fmt.Sprintf("layers.%d", 2*stage), x, same(16<<stage, 3, 1))
		if stage < 5 { // the sixth pooling has stride 1 and keeps the size
			x = b.pool(fmt.Sprintf("layers.%d", 2*stage+1), x, 2, 2, 0)
		}
	}
	x = b.conv("layers.12", x, same(1024, 3, 1))
	x = b.conv("layers.13", x, same(512, 3, 1))
	b.conv("layers.14", x, convolution{out: anchors * (5 + classes), kernel: 1, bias: true})
}
