package zoo

import (
	"fmt"

	"github.com/npu-tune/npu-tune/models"
)

func dlrm() network {
	return network{
		Info: Info{
			Name: "dlrm", Title: "DLRM (Criteo Terabyte)", Kind: Other,
			Source: "Naumov et al., Deep Learning Recommendation Model, arXiv:1906.00091; sizes of MLPerf Training v0.7",
		},
		build: buildDLRM,
	}
}

func buildDLRM(b *builder) {
	const dense, width = 13, 128
	// Values of Criteo's 26 categories, with at most 40 million kept of each.
	tables := []int64{
		39884406, 39043, 17289, 7420, 20263, 3, 7120, 1543, 63, 38532951, 2953546, 403346, 10,
		2208, 11938, 155, 4, 976, 14, 39979771, 25641295, 39664984, 585935, 12972, 108, 36,
	}
	b.note("The bottom perceptron reads dense features alone, so its first layer needs no input gradient.")
	b.note("The interaction multiplies each record's 27 vectors by their transpose; both operands are the same tensor, so its two gradients are added.")
	b.note("Look-ups and ReLU are no GEMMs.")
	for _, rows := range tables {
		b.embedding(rows, width)
	}
	perceptron(b, "bot_l", dense, 512, 256, width)
	b.layers[0].NoInputGrad = true
	vectors := int64(len(tables)) + 1 // the tables' and the bottom perceptron's
	b.layers = append(b.layers, models.Layer{
		Name: "interaction", M: vectors, N: vectors, K: width, Batch: b.images, Activations: true,
	})
	perceptron(b, "top_l", width+vectors*(vectors-1)/2, 1024, 1024, 512, 256, 1)
}

// perceptron adds linear layers of those widths, named as in an nn.Sequential
// with an activation function after each.
func perceptron(b *builder, name string, in int64, widths ...int64) {
	for i, out := range widths {
		b.linear(fmt.Sprintf("%s.%d", name, 2*i), b.images, in, out, true)
		in = out
	}
}
