package timeloop

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/npu-tune/npu-tune/internal/yamltree"
	"github.com/npu-tune/npu-tune/models"
)

// layer sorts the dimensions into M, N, K and batch, and finds the window.
func (s *shape) layer(sizes map[string]int64, problems *yamltree.Problems) (models.Layer, []string) {
	var l models.Layer
	kinds := map[string]*int64{}
	factors := map[*int64][]int64{}
	for _, d := range s.dims {
		inX, inW, inY := s.x.has(d), s.w.has(d), s.y.has(d)
		var at *int64
		switch {
		case inX && inY && !inW:
			at = &l.M
		case inW && inY && !inX:
			at = &l.N
		case inX && inW && !inY:
			at = &l.K
		case inX && inW && inY:
			at = &l.Batch
		case sizes[d] == 1:
			continue // it changes nothing
		default:
			problems.Addf(s.line, "dimension %s is of %s, want each dimension in at least two data spaces: a matrix product or a convolution",
				d, s.spaces(d))
			continue
		}
		kinds[d] = at
		factors[at] = append(factors[at], sizes[d])
	}
	for _, x := range []struct {
		name string
		at   *int64
	}{{"M", &l.M}, {"N", &l.N}, {"K", &l.K}, {"batch", &l.Batch}} {
		*x.at = s.product(x.name, factors[x.at], problems)
	}
	if l.Batch == 1 {
		l.Batch = 0
	}
	if problems.Count() > 0 {
		return l, nil
	}
	notes := s.window(&l, sizes, kinds, problems)
	return l, notes
}

func (s *shape) spaces(dim string) string {
	var names []string
	for _, sp := range []*space{&s.x, &s.w, &s.y} {
		if sp.has(dim) {
			names = append(names, sp.name)
		}
	}
	if len(names) == 0 {
		return "no data space"
	}
	return "the data space " + strings.Join(names, ", ") + " only"
}

func (s *shape) product(what string, factors []int64, problems *yamltree.Problems) int64 {
	p := big.NewInt(1)
	for _, f := range factors {
		p.Mul(p, big.NewInt(f))
	}
	if p.Cmp(big.NewInt(models.MaxDim)) > 0 {
		problems.Addf(s.line, "%s, the product of its dimensions, is %s, want at most %d", what, p, models.MaxDim)
		return 1
	}
	return p.Int64()
}

// axis is a sliding axis of the input.
type axis struct {
	filter, output string
	r, p           int64 // extents of filter and output
	dilation       int64
	stride         int64
	width          bool // it runs along rows
}

// window makes the layer a convolution if its input has axes that slide, and
// returns notes.
func (s *shape) window(l *models.Layer, sizes map[string]int64, kinds map[string]*int64, problems *yamltree.Problems) []string {
	if slides(&s.w) || slides(&s.y) {
		problems.Addf(s.line, "a data space other than the input %s adds dimensions up, want a matrix product or a convolution", s.x.name)
		return nil
	}
	var axes []axis
	for _, sum := range s.x.axes {
		if len(sum) < 2 {
			continue
		}
		a, ok := sliding(l, sum, sizes, kinds)
		if !ok {
			problems.Addf(s.x.line, "%s adds up %s, want one dimension of the filter and one of the output", s.x.name, terms(sum))
			return nil
		}
		axes = append(axes, a)
	}
	switch len(axes) {
	case 0:
		return nil
	case 1:
		axes = append(axes, axis{r: 1, p: 1, dilation: 1, stride: 1})
	case 2:
	default:
		problems.Addf(s.x.line, "%s slides along %d axes, want at most 2", s.x.name, len(axes))
		return nil
	}
	w, h := axes[0], axes[1] // Timeloop names widths first
	if h.width && !w.width {
		w, h = h, w
	}
	c := &models.Conv{
		P: h.p, Q: w.p, R: h.r, S: w.r, StrideH: h.stride, StrideW: w.stride, DilationH: h.dilation, DilationW: w.dilation,
		H: h.input(), W: w.input(),
	}
	if c.H > models.MaxDim || c.W > models.MaxDim {
		problems.Addf(s.line, "the input spans %d rows and %d columns, want at most %d", c.H, c.W, models.MaxDim)
		return nil
	}
	l.Conv = c
	return []string{fmt.Sprintf("The input is the %d×%d pixels that the window spans, padding included; columns are %s, rows %s.",
		c.H, c.W, orElse(w.output, "none"), orElse(h.output, "none"))}
}

// input returns how many elements an axis spans.
func (a *axis) input() int64 { return (a.p-1)*a.stride + (a.r-1)*a.dilation + 1 }

// sliding reads an axis that is a sum: the filter's dimension is one of K, the
// output's one of M.
func sliding(l *models.Layer, sum []term, sizes map[string]int64, kinds map[string]*int64) (a axis, ok bool) {
	coefficient := func(t term) int64 {
		if t.coefficient == "" {
			return 1
		}
		return sizes[t.coefficient]
	}
	for _, t := range sum {
		switch kinds[t.dim] {
		case &l.K:
			if a.filter != "" {
				return a, false
			}
			a.filter, a.r, a.dilation = t.dim, sizes[t.dim], coefficient(t)
		case &l.M:
			if a.output != "" {
				return a, false
			}
			a.output, a.p, a.stride = t.dim, sizes[t.dim], coefficient(t)
		default:
			return a, false
		}
		a.width = a.width || strings.HasPrefix(t.coefficient, "W")
	}
	return a, a.filter != "" && a.output != ""
}

func terms(sum []term) string {
	var names []string
	for _, t := range sum {
		names = append(names, t.dim)
	}
	return strings.Join(names, " + ")
}
