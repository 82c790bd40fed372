package onnx

import (
	"slices"

	"github.com/npu-tune/npu-tune/models"
)

// conv returns the inference of a convolution whose weights and bias are those
// inputs.
func conv(weights, bias int) func(c *call) error {
	return func(c *call) error {
		x, err := c.need(0)
		if err != nil {
			return err
		}
		w, err := c.need(weights)
		if err != nil {
			return err
		}
		if c.node.op != "ConvInteger" {
			c.train(bias)
		}
		if !x.ranked || !w.ranked {
			return c.blind()
		}
		return c.convolve(x, w)
	}
}

// filters checks images [N,C,…] against filters, and returns the filters'
// window and the groups. Where a window is not known, the node is shapeless.
func (c *call) filters(x, w *value) (kernel []int64, groups int64, ok bool, err error) {
	if len(x.shape) < 3 || len(w.shape) != len(x.shape) {
		return nil, 0, false, c.bad("its input is of rank %d and its weights of rank %d, want the same, 3 or more", len(x.shape), len(w.shape))
	}
	if groups = c.integer("group", 1); groups < 1 || groups > models.MaxDim {
		return nil, 0, false, c.bad("group is %d, want 1 or more", groups)
	}
	kernel, ok = knowns(w.shape[2:])
	if given, has := c.integers("kernel_shape"); !ok && has {
		kernel, ok = given, true
	}
	return kernel, groups, ok, nil
}

// convolve infers X[N,C,…]·W[O,C/groups,…] = Y[N,O,…].
func (c *call) convolve(x, w *value) error {
	kernel, groups, ok, err := c.filters(x, w)
	if err != nil {
		return err
	}
	if !ok {
		return c.blind()
	}
	s, err := c.sliding(len(kernel), kernel)
	if err != nil {
		return err
	}
	channels := c.im.product(w.shape[1], whole(groups))
	if x.shape[1].known() && channels.known() && x.shape[1].n != channels.n {
		return c.bad("its input has %d channels, but its weights of shape %s in %d groups want %s",
			x.shape[1].n, printed(w.shape), groups, extent(channels.n))
	}
	if w.shape[0].known() && w.shape[0].n%groups != 0 {
		return c.bad("%d output channels do not divide into %d groups", w.shape[0].n, groups)
	}
	out, begin, err := c.slide(s, x.shape[2:])
	if err != nil {
		return err
	}
	c.set(0, slices.Concat([]number{x.shape[0], w.shape[0]}, out)...)
	p := product{
		m:     c.im.product(slices.Concat(x.shape[:1], out)...),
		n:     c.im.combine(w.shape[0], whole(groups), quotient),
		k:     c.im.product(w.shape[1:]...),
		batch: whole(groups),
		x:     x, w: w,
	}
	if c.node.op != "DeformConv" && c.im.joined(x.shape...) == 0 {
		p.window = lastAxes(s, x.shape[2:], out, begin)
	}
	return c.emit(p)
}

// lastAxes returns the window over the last two axes of an image; an image of
// one axis has one row. Axes before them are taken apart into images.
func lastAxes(s *sliding, image, out []number, begin []int64) *models.Conv {
	q := len(image) - 1
	v := &models.Conv{
		H: 1, W: image[q].n, P: 1, Q: out[q].n, R: 1, S: s.kernel[q],
		StrideH: 1, StrideW: s.stride[q], DilationH: 1, DilationW: s.dilation[q], PadW: begin[q],
	}
	if p := q - 1; p >= 0 {
		v.H, v.P, v.R = image[p].n, out[p].n, s.kernel[p]
		v.StrideH, v.DilationH, v.PadH = s.stride[p], s.dilation[p], begin[p]
	}
	return v
}

// convTranspose infers X[N,C,…] and W[C,O/groups,…] to Y[N,O,…]: each input
// position is multiplied by all of the filter, and what overlaps is added up.
func convTranspose(c *call) error {
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
	kernel, groups, ok, err := c.filters(x, w)
	if err != nil {
		return err
	}
	if !ok {
		return c.blind()
	}
	s, err := c.sliding(len(kernel), kernel)
	if err != nil {
		return err
	}
	if x.shape[1].known() && w.shape[0].known() && (x.shape[1].n != w.shape[0].n || w.shape[0].n%groups != 0) {
		return c.bad("its input has %d channels, but its weights of shape %s in %d groups want %d, a multiple of the groups",
			x.shape[1].n, printed(w.shape), groups, w.shape[0].n)
	}
	out, err := c.grown(s, x.shape[2:])
	if err != nil {
		return err
	}
	c.set(0, slices.Concat([]number{x.shape[0], c.im.product(w.shape[1], whole(groups))}, out)...)
	return c.emit(product{
		m:     c.im.product(slices.Concat(x.shape[:1], x.shape[2:])...),
		n:     c.im.product(w.shape[1:]...),
		k:     c.im.combine(w.shape[0], whole(groups), quotient),
		batch: whole(groups),
		x:     x, w: w,
	})
}

// grown returns the image that a transposed convolution makes.
func (c *call) grown(s *sliding, image []number) ([]number, error) {
	if given, ok := c.integers("output_shape"); ok && len(given) >= len(image) {
		return wholes(given[len(given)-len(image):]), nil
	}
	extra, ok := c.integers("output_padding")
	if !ok || len(extra) == 0 {
		extra = make([]int64, len(image))
	}
	if len(extra) != len(image) {
		return nil, c.bad("output_padding has %d numbers, want %d", len(extra), len(image))
	}
	out := make([]number, len(image))
	for i, e := range image {
		if extra[i] < 0 || extra[i] > maxSliding {
			return nil, c.bad("output_padding is %v, want 0 or more each", extra)
		}
		stride := s.stride[i]
		out[i] = c.im.combine(e, whole(0), func(e, _ int64) int64 {
			if s.auto == "SAME_UPPER" || s.auto == "SAME_LOWER" {
				return saturate(e, stride)
			}
			return saturate(e-1, stride) + extra[i] + s.span(i) - s.begin[i] - s.end[i]
		})
		if out[i].known() && out[i].n < 1 {
			return nil, c.bad("its output has %d elements along axis %d: too much padding", out[i].n, i)
		}
	}
	return out, nil
}
