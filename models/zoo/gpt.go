package zoo

import "fmt"

func gpt2() network {
	return network{
		Info: Info{
			Name: "gpt2", Title: "GPT-2 small (124M)", Kind: Sequence, DefaultSeq: 1024, MaxSeq: 1024,
			Source: "Radford et al., Language Models are Unsupervised Multitask Learners, 2019",
		},
		build: func(b *builder) { buildGPT(b, gpt{layers: 12, width: 768, heads: 12, positions: 1024}) },
	}
}

func gpt3() network {
	return network{
		Info: Info{
			Name: "gpt3-175b", Title: "GPT-3 175B", Kind: Sequence, DefaultSeq: 2048, MaxSeq: 2048,
			Source: "Brown et al., Language Models are Few-Shot Learners, arXiv:2005.14165, table 2.1",
		},
		build: func(b *builder) {
			b.note("Every layer attends densely; the published network alternates with locally banded sparse attention.")
			buildGPT(b, gpt{layers: 96, width: 12288, heads: 96, positions: 2048})
		},
	}
}

// gpt is the size of a decoder-only transformer of the GPT-2 kind.
type gpt struct {
	layers                  int
	width, heads, positions int64
}

func buildGPT(b *builder, t gpt) {
	const vocabulary = 50257
	b.note("The head shares its weights with the token embeddings; they are counted once, in the head.")
	b.note(noteEmbeddings)
	b.note(noteCausal)
	b.note(noteElementwise)

	rows := b.tokens()
	b.embedding(t.positions, t.width)
	for i := range t.layers {
		name := fmt.Sprintf("transformer.h.%d", i)
		b.norm(t.width, true)
		b.linear(name+".attn.c_attn", rows, t.width, 3*t.width, true)
		b.attend(name+".attn", attention{
			queries: b.seq, keys: b.seq, heads: t.heads, kvHeads: t.heads, width: t.width / t.heads,
		})
		b.linear(name+".attn.c_proj", rows, t.width, t.width, true)
		b.norm(t.width, true)
		b.linear(name+".mlp.c_fc", rows, t.width, 4*t.width, true)
		b.linear(name+".mlp.c_proj", rows, 4*t.width, t.width, true)
	}
	b.norm(t.width, true)
	b.linear("lm_head", rows, t.width, vocabulary, false)
}
