package zoo

import "github.com/npu-tune/npu-tune/models"

// attention is multi-head attention between two runs of tokens.
type attention struct {
	queries int64 // tokens that ask
	keys    int64 // tokens that are asked
	heads   int64 // heads of queries
	kvHeads int64 // heads of keys and values; fewer than heads if queries share them
	width   int64 // features per head
}

// attend adds the two matmuls of attention, batched over heads and sequences:
//
//	scores   Y[q, keys]  = Q[q, width]·Kᵀ[width, keys]
//	context  Y[q, width] = A[q, keys]·V[keys, width]
//
// Where a group of g = heads/kvHeads query heads shares one head of keys and
// values, the queries of the group are stacked, q = g·queries, and the batch is
// kvHeads·sequences: K and V are read once per group, and the matmul that
// computes their gradient sums over the group, as it must. Without sharing
// q = queries and the batch is heads·sequences.
func (b *builder) attend(name string, a attention) {
	rows := b.product(name, a.heads/a.kvHeads, a.queries)
	batch := b.product(name, a.kvHeads, b.images)
	b.layers = append(b.layers,
		models.Layer{Name: name + ".scores", M: rows, N: a.keys, K: a.width, Batch: batch, Activations: true},
		models.Layer{Name: name + ".context", M: rows, N: a.width, K: a.keys, Batch: batch, Activations: true},
	)
}

// tokens returns the rows of a linear layer over every token of the step.
func (b *builder) tokens() int64 { return b.product("tokens", b.images, b.seq) }

// Notes that hold for every transformer.
const (
	noteEmbeddings  = "The token embeddings are trained, so the first layers need their input gradient; the look-up itself is no GEMM."
	noteCausal      = "Attention counts the whole square of tokens; where it is causal, a kernel that skips the masked half does about half of it."
	noteElementwise = "Softmax, normalization, activation functions and residual additions are no GEMMs."
)
