package analytic

// A position in a loop, as far as stages can tell: whether it is the first or
// last step, whether the next one is the last, and how many steps are alike.
type place struct {
	first, last, nextLast uint8 // 0 or 1
	count                 float64
}

// places lists the kinds of position in a loop of n steps.
func places(n int64, to *[4]place) []place {
	switch n {
	case 1:
		to[0] = place{first: 1, last: 1, count: 1}
		return to[:1]
	case 2:
		to[0] = place{first: 1, nextLast: 1, count: 1}
		to[1] = place{last: 1, count: 1}
		return to[:2]
	case 3:
		to[0] = place{first: 1, count: 1}
		to[1] = place{nextLast: 1, count: 1}
		to[2] = place{last: 1, count: 1}
		return to[:3]
	}
	to[0] = place{first: 1, count: 1}
	to[1] = place{count: float64(n - 3)}
	to[2] = place{nextLast: 1, count: 1}
	to[3] = place{last: 1, count: 1}
	return to[:4]
}

// merged is places without a distinction of steps next to last.
func merged(n int64, to *[4]place) []place {
	if n < 3 {
		return places(n, to)
	}
	to[0] = place{first: 1, count: 1}
	to[1] = place{count: float64(n - 2)}
	to[2] = place{last: 1, count: 1}
	return to[:3]
}

// steps is places for two or more steps, of which there may be a fraction.
func steps(n float64, to *[4]place) []place {
	switch {
	case n < 3:
		to[0] = place{first: 1, nextLast: 1, count: 1}
		to[1] = place{count: n - 2}
		to[2] = place{last: 1, count: 1}
		if n == 2 {
			to[1] = to[2]
			return to[:2]
		}
		return to[:3]
	case n == 3:
		return places(3, to)
	}
	places(4, to)
	to[1].count = n - 3
	return to[:4]
}

// load returns the bytes loaded for the operation whose loops in first and
// last stand at their first and last steps.
func (o *op) load(first, last uint8) int64 {
	b := o.always[last]
	if first&1 != 0 {
		b += o.first[0][last]
	}
	if first&2 != 0 {
		b += o.first[1][last]
	}
	if first&4 != 0 {
		b += o.first[2][last]
	}
	return b
}

// dma returns the cycles of a stage's transfers.
func (m *Model) dma(bytes int64) float64 {
	if bytes == 0 {
		return 0
	}
	return m.latency + float64(bytes)/m.bytesPerCycle
}

// stage returns the cycles of a stage (cost model section 4).
func (m *Model) stage(compute, bytes int64) float64 {
	return max(float64(compute), m.dma(bytes))
}

// single sums the stages of an operation that runs alone.
func (m *Model) single(o *op) float64 {
	return m.dma(o.load(7, o.one)) + m.walk(o, nil, 0, false) + m.dma(o.write[7])
}

// pair sums the stages of two gradients that alternate at each point of the
// shared loops (fewer than three).
func (m *Model) pair(dx, dw *op, shared int) float64 {
	return m.dma(dx.load(7, dx.one)) + m.walk(dx, dw, shared, true) + m.walk(dw, dx, shared, false) + m.dma(dw.write[7])
}

// walk sums the stages of one operation's tile operations. other is the
// gradient that it alternates with in each point of the shared loops, nil if
// it runs alone; leads says that it comes first in each point.
//
// Inside the innermost loop a stage's neighbours are of the same operation and
// the same outer steps. So all of its steps but the last are summed over three
// kinds of outer position (a step before the last is like any inside), and only
// the last, which steps on in an outer loop, over four.
func (m *Model) walk(o, other *op, shared int, leads bool) float64 {
	var b1, b2, b3, b4 [4]place
	x3, y3 := merged(o.n[0], &b1), merged(o.n[1], &b2)
	x4, y4 := places(o.n[0], &b3), places(o.n[1], &b4)
	n := o.n[2]
	sum := 0.0
	if n > 1 {
		second := boolBit(n == 2) << 2
		for i := range x3 {
			x := &x3[i]
			for j := range y3 {
				y := &y3[j]
				first, last := x.first|y.first<<1, x.last|y.last<<1
				c, written := o.compute[last], o.write[last]
				inside := m.stage(c, o.into(other, shared, leads, first, last)+o.load(first, last|second))
				if n > 2 {
					inside += m.stage(c, written+o.load(first, last|4))
				}
				if n > 3 {
					inside += float64(n-3) * m.stage(c, written+o.load(first, last))
				}
				sum += x.count * y.count * inside
			}
		}
	}
	start := boolBit(n == 1) << 2
	for i := range x4 {
		x := &x4[i]
		for j := range y4 {
			y := &y4[j]
			first, last := x.first|y.first<<1, x.last|y.last<<1
			bytes := o.write[last]
			if n == 1 {
				bytes = o.into(other, shared, leads, first, last|4)
			}
			bytes += o.out(other, shared, leads, first|start, last|4, x, y)
			sum += x.count * y.count * m.stage(o.compute[last|4], bytes)
		}
	}
	return sum
}

// into returns the bytes written after the operation before one at the first
// step of its innermost loop, whose outer loops in first stand at their first
// steps and whose loops in last at their last.
func (o *op) into(other *op, shared int, leads bool, first, last uint8) int64 {
	at := 1
	if first&2 != 0 {
		at = 0
		if first&1 != 0 {
			at = -1
		}
	}
	switch {
	case at >= shared:
		return o.write[before(last, at)]
	case other == nil:
		return 0
	case !leads:
		outer := uint8(1)<<shared - 1
		return other.write[last&outer|^outer&7]
	case at >= 0:
		return other.write[before(last, at)]
	}
	return 0
}

// out returns the bytes loaded for the operation after one at the last step of
// its innermost loop, whose outer loops stand at x and y.
func (o *op) out(other *op, shared int, leads bool, first, last uint8, x, y *place) int64 {
	at, nextLast := 1, y.nextLast
	if y.last == 1 {
		at, nextLast = 0, x.nextLast
		if x.last == 1 {
			at = -1
		}
	}
	switch {
	case at >= shared:
		return o.load(after(first, last, at, nextLast, o.one))
	case other == nil:
		return 0
	case leads:
		outer := uint8(1)<<shared - 1
		return other.load(first&outer|^outer&7, last&outer|other.one&^outer)
	case at >= 0:
		return other.load(after(first, last, at, nextLast, other.one))
	}
	return 0
}

// before returns the loops at their last step in the operation before one
// whose loops in last stand there, where loop at steps back.
func before(last uint8, at int) uint8 {
	outer := uint8(1)<<at - 1
	return last&outer | ^(outer<<1|1)&7
}

// after returns the loops at their first and last steps in the operation that
// follows, where loop at steps forward (to its last step if nextLast is 1) and
// the loops inside start anew.
func after(first, last uint8, at int, nextLast, one uint8) (uint8, uint8) {
	outer := uint8(1)<<at - 1
	inner := ^(outer<<1 | 1) & 7
	return first&outer | inner, last&outer | nextLast<<at | one&inner
}

// bursts sums the stages of two gradients that share all three loops and
// alternate every burst steps of the innermost.
func (m *Model) bursts(dx, dw *op, burst int64) float64 {
	n3 := dx.n[2]
	count := (n3 + burst - 1) / burst
	return m.inBursts(dx, dw, count, float64(burst), n3-(count-1)*burst, burst == 1)
}

// inBursts is bursts for count bursts of the given length, the last of them of
// rest steps. From two steps on the sum is linear in the length of all but the
// last; other lengths, unless single says that they really are of one step,
// give what lies on the same line (burst ranges need that).
func (m *Model) inBursts(dx, dw *op, count int64, burst float64, rest int64, single bool) float64 {
	var b1, b2, b3, b4 [4]place
	p1, p2, pb := places(dx.n[0], &b1), places(dx.n[1], &b2), places(count, &b3)
	sum := m.dma(dx.load(7, dx.one)) + m.dma(dw.write[7])
	for i := range p1 {
		x := &p1[i]
		for j := range p2 {
			y := &p2[j]
			f12, l12 := x.first|y.first<<1, x.last|y.last<<1
			for k := range pb {
				b := &pb[k]
				length := burst
				if b.last == 1 {
					length = float64(rest)
				}
				// of this burst's first and last operation, and of the next one's first
				short := boolBit(length == 1 && (single || b.last == 1))
				startFirst, startLast := f12|b.first<<2, l12|(b.last&short)<<2
				endLast := l12 | b.last<<2
				weight := x.count * y.count * b.count

				// into the burst: the writes of dw's last operation before it
				var into int64
				switch {
				case b.first == 0:
					into = dw.write[l12]
				case y.first == 0:
					into = dw.write[before(l12, 1)]
				case x.first == 0:
					into = dw.write[before(l12, 0)]
				}
				// out of the burst: the loads of dx's first operation after it
				var out int64
				nextOne := boolBit(single || (b.nextLast == 1 && rest == 1))
				switch {
				case b.last == 0:
					out = dx.load(f12, l12|(b.nextLast&nextOne)<<2)
				case y.last == 0:
					out = dx.load(after(f12, l12, 1, y.nextLast, dx.one))
				case x.last == 0:
					out = dx.load(after(f12, l12, 0, x.nextLast, dx.one))
				}
				between := dw.load(startFirst, startLast)
				turn := dx.write[endLast]

				if length == 1 && (single || b.last == 1) {
					sum += weight * (m.stage(dx.compute[endLast], into+between) + m.stage(dw.compute[endLast], turn+out))
					continue
				}
				for _, z := range steps(length, &b4) {
					l := l12 | (b.last&z.last)<<2
					next := l12 | (b.last&z.nextLast)<<2
					bx, bw := int64(0), int64(0)
					if z.first == 1 {
						bx, bw = into, turn
					} else {
						bx, bw = dx.write[l12], dw.write[l12]
					}
					if z.last == 1 {
						bx, bw = bx+between, bw+out
					} else {
						bx, bw = bx+dx.load(f12, next), bw+dw.load(f12, next)
					}
					sum += weight * z.count * (m.stage(dx.compute[l], bx) + m.stage(dw.compute[l], bw))
				}
			}
		}
	}
	return sum
}

func boolBit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
