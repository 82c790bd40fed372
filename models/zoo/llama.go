package zoo

import "fmt"

const llama3Source = "Llama team, The Llama 3 Herd of Models, arXiv:2407.21783, table 3"

func llama3Small() network {
	return network{
		Info: Info{
			Name: "llama3-8b", Title: "Llama 3 8B", Kind: Sequence, DefaultSeq: 8192, Source: llama3Source,
		},
		build: func(b *builder) {
			buildLlama(b, llama{layers: 32, width: 4096, heads: 32, kvHeads: 8, inner: 14336, vocabulary: 128256})
		},
	}
}

func llama3Large() network {
	return network{
		Info: Info{
			Name: "llama3-70b", Title: "Llama 3 70B", Kind: Sequence, DefaultSeq: 8192, Source: llama3Source,
		},
		build: func(b *builder) {
			buildLlama(b, llama{layers: 80, width: 8192, heads: 64, kvHeads: 8, inner: 28672, vocabulary: 128256})
		},
	}
}

// llama is the size of a decoder-only transformer with grouped-query attention
// and a gated feed-forward network.
type llama struct {
	layers                                   int
	width, heads, kvHeads, inner, vocabulary int64
}

func buildLlama(b *builder, t llama) {
	b.note("Grouped-query attention: the queries of the heads that share keys and values are stacked in M, so the batch is key-value heads x sequences.")
	b.note("The head and the token embeddings have weights of their own.")
	b.note(noteEmbeddings)
	b.note(noteCausal)
	b.note(noteElementwise + " Rotary positions neither, and they hold no parameters.")

	rows, head := b.tokens(), t.width/t.heads
	b.embedding(t.vocabulary, t.width)
	for i := range t.layers {
		name := fmt.Sprintf("model.layers.%d", i)
		b.norm(t.width, false)
		b.linear(name+".self_attn.q_proj", rows, t.width, t.width, false)
		b.linear(name+".self_attn.k_proj", rows, t.width, t.kvHeads*head, false)
		b.linear(name+".self_attn.v_proj", rows, t.width, t.kvHeads*head, false)
		b.attend(name+".self_attn", attention{
			queries: b.seq, keys: b.seq, heads: t.heads, kvHeads: t.kvHeads, width: head,
		})
		b.linear(name+".self_attn.o_proj", rows, t.width, t.width, false)
		b.norm(t.width, false)
		b.linear(name+".mlp.gate_proj", rows, t.width, t.inner, false)
		b.linear(name+".mlp.up_proj", rows, t.width, t.inner, false)
		b.linear(name+".mlp.down_proj", rows, t.inner, t.width, false)
	}
	b.norm(t.width, false)
	b.linear("lm_head", rows, t.width, t.vocabulary, false)
}
