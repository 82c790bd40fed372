package exhaustive

// node is a box of a structure: ranges of its variables and the dataflows of
// its operations.
type node struct {
	bound  float64 // on the objective
	energy float64 // on the energy, pJ
	bytes  int64   // on DRAM bytes
	spm    int64   // on SPM bytes
	st     int32
	flows  [2]uint8
	chosen [4]uint8 // of each choice: open, inner or outer
	depth  uint8
	fixed  bool // all step counts are known
	tried  bool // the schedule of the least extents has been costed
	// raised says that some extent's least value is above the parent's.
	raised bool
	// split is the variable that was raised, -1 for all; its own range needs
	// no look.
	split int8
	// byFlow says that the choice of dataflow may raise the bound.
	byFlow bool
	v      [maxVars]interval
}

// queue is a heap of nodes, the least bound first, the deeper of equals.
type queue struct{ nodes []node }

func (q *queue) before(a, b *node) bool {
	return a.bound < b.bound || a.bound == b.bound && a.depth > b.depth
}

func (q *queue) push(n *node) {
	q.nodes = append(q.nodes, *n)
	i := len(q.nodes) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !q.before(n, &q.nodes[up]) {
			break
		}
		q.nodes[i] = q.nodes[up]
		i = up
	}
	q.nodes[i] = *n
}

func (q *queue) pop(n *node) bool {
	if len(q.nodes) == 0 {
		return false
	}
	*n = q.nodes[0]
	last := len(q.nodes) - 1
	moved := q.nodes[last]
	q.nodes = q.nodes[:last]
	if last == 0 {
		return true
	}
	i := 0
	for {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && q.before(&q.nodes[down+1], &q.nodes[down]) {
			down++
		}
		if !q.before(&q.nodes[down], &moved) {
			break
		}
		q.nodes[i] = q.nodes[down]
		i = down
	}
	q.nodes[i] = moved
	return true
}

// least returns the least bound in the queue, +Inf if it is empty.
func (q *queue) least() float64 {
	if len(q.nodes) == 0 {
		return inf
	}
	return q.nodes[0].bound
}
