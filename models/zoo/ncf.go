package zoo

import "fmt"

func ncf() network {
	return network{
		Info: Info{
			Name: "ncf", Title: "Neural collaborative filtering (NeuMF, MovieLens 20M)", Kind: Other,
			Source: "He et al., Neural Collaborative Filtering, arXiv:1708.05031; sizes of MLPerf Training v0.5",
		},
		build: buildNCF,
	}
}

func buildNCF(b *builder) {
	const users, items, factors = 138493, 26744, 64
	hidden := []int64{256, 256, 128, 64}
	b.note("A record is a pair of user and item. Tables as for MovieLens 20M: larger ones change no GEMM.")
	b.note("The perceptron reads embeddings, which are trained, so its first layer needs its input gradient.")
	b.note("Look-ups, the product of factors and ReLU are no GEMMs.")
	b.embedding(users+items, factors)
	b.embedding(users+items, hidden[0]/2)
	for i, out := range hidden[1:] {
		b.linear(fmt.Sprintf("mlp.%d", i), b.images, hidden[i], out, true)
	}
	b.linear("final", b.images, factors+hidden[len(hidden)-1], 1, true)
}
