package zoo

// networks returns every network that Build knows; a new one adds its line.
func networks() []network {
	return []network{
		bertBase(),
		bertLarge(),
		gpt2(),
		gpt3(),
		llama3Small(),
		llama3Large(),
		mobileNetV2(),
		resNet18(),
		resNet50(),
		vgg16(),
	}
}
