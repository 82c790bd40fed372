package space

// Reloads returns how often each element of the operand that lacks d comes to
// the SPM of a core (cost model section 9): 1, or once per step of d where its
// loop runs outside the innermost loop that changes the block. The schedule
// must be legal.
func (p *Problem) Reloads(s *Schedule, op Op, d Dim) int64 { return p.reloads(s, op, d) }
