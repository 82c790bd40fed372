package zoo

import "fmt"

const bertSource = "Devlin et al., BERT, arXiv:1810.04805"

func bertBase() network {
	return network{
		Info: Info{
			Name: "bert-base", Title: "BERT-base (uncased)", Kind: Sequence, DefaultSeq: 128, MaxSeq: 512,
			Source: bertSource,
		},
		build: func(b *builder) { buildBERT(b, bert{layers: 12, width: 768, heads: 12, inner: 3072}) },
	}
}

func bertLarge() network {
	return network{
		Info: Info{
			Name: "bert-large", Title: "BERT-large (uncased)", Kind: Sequence, DefaultSeq: 128, MaxSeq: 512,
			Source: bertSource,
		},
		build: func(b *builder) { buildBERT(b, bert{layers: 24, width: 1024, heads: 16, inner: 4096}) },
	}
}

func bertTiny() network {
	return network{
		Info: Info{
			Name: "bert-tiny", Title: "BERT-tiny (4 layers of 312)", Kind: Sequence, DefaultSeq: 128, MaxSeq: 512,
			Source: "Jiao et al., TinyBERT, arXiv:1909.10351, BERT_TINY",
		},
		build: func(b *builder) {
			b.note("The BERT_TINY of the TinyBERT paper, 14.5 M parameters; the miniature of arXiv:1908.08962 that goes by the same name has 2 layers of 128 and 4.4 M.")
			buildBERT(b, bert{layers: 4, width: 312, heads: 12, inner: 1200})
		},
	}
}

// bert is the size of an encoder.
type bert struct {
	layers              int
	width, heads, inner int64
}

// buildBERT adds the encoder and the pooler, which is what the published counts
// are of.
func buildBERT(b *builder, t bert) {
	const vocabulary, positions, segments = 30522, 512, 2
	b.note("The encoder and the pooler; the heads of pre-training (masked tokens, next sentence) are left out, as in the published counts.")
	b.note("128 tokens, the default, is the length of 90% of BERT's pre-training steps; the rest have 512.")
	b.note(noteEmbeddings)
	b.note(noteElementwise)

	rows := b.tokens()
	b.embedding(vocabulary+positions+segments, t.width)
	b.norm(t.width, true)
	for i := range t.layers {
		name := fmt.Sprintf("encoder.layer.%d", i)
		for _, part := range []string{"query", "key", "value"} {
			b.linear(name+".attention.self."+part, rows, t.width, t.width, true)
		}
		b.attend(name+".attention.self", attention{
			queries: b.seq, keys: b.seq, heads: t.heads, kvHeads: t.heads, width: t.width / t.heads,
		})
		b.linear(name+".attention.output.dense", rows, t.width, t.width, true)
		b.norm(t.width, true)
		b.linear(name+".intermediate.dense", rows, t.width, t.inner, true)
		b.linear(name+".output.dense", rows, t.inner, t.width, true)
		b.norm(t.width, true)
	}
	b.linear("pooler.dense", b.images, t.width, t.width, true)
}
