package zoo

// networks returns every network that Build knows; a new one adds its line.
func networks() []network {
	return []network{
		alexNet(),
		bertBase(),
		bertLarge(),
		bertTiny(),
		dlrm(),
		fasterRCNN(),
		googLeNet(),
		gpt2(),
		gpt3(),
		llama3Large(),
		llama3Small(),
		mobileNet(),
		mobileNetV2(),
		ncf(),
		resNet18(),
		resNet50(),
		squeezeNet(),
		t5Large(),
		t5Small(),
		vgg16(),
		vgg19(),
		yoloV2Tiny(),
		yoloV5Large(),
	}
}
