package onnx

import "slices"

// heads is attention between q queries and k keys: batch·heads pairs of
// matrices, width features for queries and keys, and values of depth features.
type heads struct {
	batch, queries, keys number
	heads, shared        int64 // of queries; of keys and values, fewer where queries share them
	width, depth         number
}

// attend emits the two products of attention. Queries that share a head of keys
// and values are stacked.
func (c *call) attend(h heads, q, k, v *value) error {
	rows := c.im.product(h.queries, whole(h.heads/h.shared))
	batch := c.im.product(h.batch, whole(h.shared))
	// The products are of activations even where an operand is fed directly.
	own := func(x *value) *value { return &value{trained: x.trained || x.constant} }
	weights := &value{trained: own(q).trained || own(k).trained}
	err := c.emit(product{part: "scores", m: rows, n: h.keys, k: h.width, batch: batch, x: own(q), w: own(k)})
	if err != nil {
		return err
	}
	return c.emit(product{part: "context", m: rows, n: h.depth, k: h.keys, batch: batch, x: weights, w: own(v)})
}

// shared checks the numbers of heads.
func (c *call) shared(queries, keys int64) (int64, int64, error) {
	if keys == 0 {
		keys = queries
	}
	if queries < 1 || keys < 1 || queries%keys != 0 {
		return 0, 0, c.bad("has %d heads of queries and %d of keys, want 1 or more, and a multiple", queries, keys)
	}
	return queries, keys, nil
}

// attention infers ONNX's operator: Q, K and V as [batch,heads,tokens,features],
// or as [batch,tokens,heads·features]; past keys and values go before K and V.
func attention(c *call) error {
	for i := range 3 {
		v, err := c.need(i)
		if err != nil {
			return err
		}
		if !v.ranked {
			return c.blind()
		}
		if len(v.shape) != len(c.in[0].shape) || len(v.shape) != 3 && len(v.shape) != 4 {
			return c.bad("input %d is of shape %s, want rank 3 or 4 as the first", i, printed(v.shape))
		}
	}
	q, k, v := c.in[0].shape, c.in[1].shape, c.in[2].shape
	h := heads{batch: q[0], keys: k[len(k)-2], queries: q[len(q)-2]}
	qHeads, kHeads := c.integer("q_num_heads", 0), c.integer("kv_num_heads", 0)
	if len(q) == 4 {
		if c.im.joined(q[1], k[1]) != 0 {
			return c.blind()
		}
		qHeads, kHeads = q[1].n, k[1].n
	}
	var err error
	if h.heads, h.shared, err = c.shared(qHeads, kHeads); err != nil {
		return err
	}
	h.width, h.depth = q[len(q)-1], v[len(v)-1]
	if len(q) == 3 {
		h.width = c.im.combine(h.width, whole(h.heads), quotient)
		h.depth = c.im.combine(h.depth, whole(h.shared), quotient)
	}
	if past, ok := c.shape(4); ok && len(past) == 4 {
		h.keys = c.im.add(h.keys, past[2])
	}
	if len(q) == 4 {
		c.set(0, q[0], q[1], q[2], h.depth)
	} else {
		c.set(0, q[0], q[1], c.im.product(h.depth, whole(h.heads)))
	}
	c.set(1, h.batch, whole(h.shared), h.keys, h.width)
	c.set(2, h.batch, whole(h.shared), h.keys, h.depth)
	c.set(3, h.batch, whole(h.heads), h.queries, h.keys)
	return c.attend(h, c.in[0], c.in[1], c.in[2])
}

// fusedAttention infers operators that take Q, K and V as
// [batch,tokens,heads·features].
func fusedAttention(c *call) error {
	for i := range 3 {
		if v := c.input(i); v == nil || !v.ranked || len(v.shape) != 3 {
			return c.bad("input %d is not a tensor [batch,tokens,features]; packed or cached inputs are not supported", i)
		}
	}
	q, k, v := c.in[0].shape, c.in[1].shape, c.in[2].shape
	var err error
	h := heads{batch: q[0], queries: q[1], keys: k[1]}
	if h.heads, h.shared, err = c.shared(c.integer("num_heads", 0), c.integer("kv_num_heads", 0)); err != nil {
		return err
	}
	h.width = c.im.combine(q[2], whole(h.heads), quotient)
	h.depth = c.im.combine(v[2], whole(h.shared), quotient)
	at := 3 // past keys [batch,heads,tokens,features]
	if c.node.op == "MultiHeadAttention" {
		at = 6
	}
	if past, ok := c.shape(at); ok && len(past) == 4 {
		h.keys = c.im.add(h.keys, past[2])
	}
	c.set(0, q[0], q[1], c.im.product(h.depth, whole(h.heads)))
	c.set(1, h.batch, whole(h.shared), h.keys, h.width)
	c.set(2, h.batch, whole(h.shared), h.keys, h.depth)
	return c.attend(h, c.in[0], c.in[1], c.in[2])
}

// packedAttention infers an operator that projects X[batch,tokens,inputs] by
// W[inputs,3·hidden] first.
func packedAttention(c *call) error {
	x, err := c.need(0)
	if err != nil {
		return err
	}
	w, err := c.need(1)
	if err != nil {
		return err
	}
	c.train(2)
	if !x.ranked || !w.ranked {
		return c.blind()
	}
	if len(x.shape) != 3 || len(w.shape) != 2 {
		return c.bad("its input is of rank %d and its weights of rank %d, want 3 and 2", len(x.shape), len(w.shape))
	}
	if sizes, ok := c.integers("qkv_hidden_sizes"); ok && len(sizes) > 0 && !slices.Equal(sizes, slices.Repeat(sizes[:1], 3)) {
		return c.bad("qkv_hidden_sizes is %v; only equal sizes are supported", sizes)
	}
	h := heads{batch: x.shape[0], queries: x.shape[1], keys: x.shape[1]}
	if h.heads, h.shared, err = c.shared(c.integer("num_heads", 0), 0); err != nil {
		return err
	}
	hidden := c.im.combine(w.shape[1], whole(3), quotient)
	h.width = c.im.combine(hidden, whole(h.heads), quotient)
	h.depth = h.width
	if past, ok := c.shape(4); ok && len(past) == 5 {
		h.keys = c.im.add(h.keys, past[3])
	}
	c.set(0, x.shape[0], x.shape[1], hidden)
	c.set(1, whole(2), h.batch, whole(h.heads), h.keys, h.width)
	err = c.emit(product{part: "qkv", m: c.im.product(x.shape[:2]...), n: w.shape[1], k: w.shape[0], batch: whole(1), x: x, w: w})
	if err != nil {
		return err
	}
	own := &value{trained: true}
	return c.attend(h, own, own, own)
}
