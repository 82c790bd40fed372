package zoo

import "fmt"

const t5Source = "Raffel et al., Exploring the Limits of Transfer Learning, arXiv:1910.10683"

func t5Small() network {
	return network{
		Info:  Info{Name: "t5-small", Title: "T5 small", Kind: Sequence, DefaultSeq: 512, Source: t5Source},
		build: func(b *builder) { buildT5(b, t5{layers: 6, width: 512, heads: 8, inner: 2048}) },
	}
}

func t5Large() network {
	return network{
		Info:  Info{Name: "t5-large", Title: "T5 large", Kind: Sequence, DefaultSeq: 512, Source: t5Source},
		build: func(b *builder) { buildT5(b, t5{layers: 24, width: 1024, heads: 16, inner: 4096}) },
	}
}

// t5 is the size of an encoder and a decoder of as many layers.
type t5 struct {
	layers              int
	width, heads, inner int64
}

func buildT5(b *builder, t t5) {
	const vocabulary, buckets = 32128, 32
	b.note("Encoder and decoder see as many tokens each; pre-training has 512 and 114.")
	b.note("The head shares its weights with the token embeddings; they are counted once, in the head.")
	b.note("Relative positions are looked up once for the encoder and once for the decoder.")
	b.note(noteEmbeddings)
	b.note(noteCausal)
	b.note(noteElementwise)

	for i := range t.layers {
		name := fmt.Sprintf("encoder.block.%d.layer", i)
		t.attention(b, name+".0.SelfAttention")
		t.feedForward(b, name+".1.DenseReluDense")
	}
	for i := range t.layers {
		name := fmt.Sprintf("decoder.block.%d.layer", i)
		t.attention(b, name+".0.SelfAttention")
		t.attention(b, name+".1.EncDecAttention")
		t.feedForward(b, name+".2.DenseReluDense")
	}
	for range 2 {
		b.norm(t.width, false)
		b.embedding(buckets, t.heads)
	}
	b.linear("lm_head", b.tokens(), t.width, vocabulary, false)
}

// attention adds a normalization, four projections and the two matmuls.
func (t t5) attention(b *builder, name string) {
	b.norm(t.width, false)
	for _, part := range []string{".q", ".k", ".v"} {
		b.linear(name+part, b.tokens(), t.width, t.width, false)
	}
	b.attend(name, attention{
		queries: b.seq, keys: b.seq, heads: t.heads, kvHeads: t.heads, width: t.width / t.heads,
	})
	b.linear(name+".o", b.tokens(), t.width, t.width, false)
}

// feedForward adds a normalization and two linear layers.
func (t t5) feedForward(b *builder, name string) {
	b.norm(t.width, false)
	b.linear(name+".wi", b.tokens(), t.width, t.inner, false)
	b.linear(name+".wo", b.tokens(), t.inner, t.width, false)
}
