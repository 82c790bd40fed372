package onnx

import "slices"

func windowOperators(add adder) {
	add(operator{infer: pool}, "MaxPool", "AveragePool", "LpPool", contributed+":QLinearAveragePool")
	add(operator{infer: globalPool}, "GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool", contributed+":QLinearGlobalAveragePool")
	add(operator{infer: regionPool}, "RoiAlign", "MaxRoiPool")
	add(operator{infer: conv(1, 2), holds: true}, "Conv", "ConvInteger", contributed+":FusedConv", "DeformConv")
	add(operator{infer: conv(3, 8), holds: true}, "QLinearConv")
	add(operator{infer: convTranspose, holds: true}, "ConvTranspose")
}

// sliding is how a window slides over the axes of an image.
type sliding struct {
	kernel, stride, dilation []int64
	begin, end               []int64 // padding
	auto                     string  // how padding is found, if it is not given
	ceil                     bool    // the last window may hang over the end
}

// sliding reads a window's attributes; kernel is nil where kernel_shape says it.
func (c *call) sliding(axes int, kernel []int64) (*sliding, error) {
	s := &sliding{kernel: kernel, auto: c.text("auto_pad", "NOTSET"), ceil: c.integer("ceil_mode", 0) != 0}
	if given, ok := c.integers("kernel_shape"); ok && len(given) > 0 {
		if kernel != nil && !slices.Equal(kernel, given) {
			return nil, c.bad("kernel_shape is %v, but the weights have a window of %v", given, kernel)
		}
		s.kernel = given
	}
	if !slices.Contains([]string{"", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"}, s.auto) {
		return nil, c.bad("auto_pad is %q, want NOTSET, VALID, SAME_UPPER or SAME_LOWER", s.auto)
	}
	list := func(name string, n int, otherwise, low int64) ([]int64, error) {
		given, ok := c.integers(name)
		if !ok || len(given) == 0 {
			return slices.Repeat([]int64{otherwise}, n), nil
		}
		if len(given) != n {
			return nil, c.bad("%s has %d numbers, want %d", name, len(given), n)
		}
		for _, v := range given {
			if v < low || v > maxSliding {
				return nil, c.bad("%s is %v, want %d to %d each", name, given, low, maxSliding)
			}
		}
		return given, nil
	}
	var err, errs error
	if s.stride, err = list("strides", axes, 1, 1); err != nil {
		errs = err
	}
	if s.dilation, err = list("dilations", axes, 1, 1); err != nil {
		errs = err
	}
	pads, err := list("pads", 2*axes, 0, 0)
	if err != nil {
		errs = err
	}
	if errs != nil {
		return nil, errs
	}
	s.begin, s.end = pads[:axes], pads[axes:]
	if len(s.kernel) != axes {
		return nil, c.bad("its window has %d axes, want %d", len(s.kernel), axes)
	}
	for _, k := range s.kernel {
		if k < 1 || k > maxSliding {
			return nil, c.bad("its window is %v, want 1 to %d each", s.kernel, maxSliding)
		}
	}
	return s, nil
}

// maxSliding bounds windows, strides, dilations and paddings.
const maxSliding = int64(1) << 31

// span returns how many elements the window covers along an axis.
func (s *sliding) span(i int) int64 { return saturate(s.kernel[i]-1, s.dilation[i]) + 1 }

// positions returns how many positions the window has along axis i of e
// elements, and the padding before them.
func (s *sliding) positions(i int, e int64) (count, begin int64) {
	span, stride := s.span(i), s.stride[i]
	if s.auto == "SAME_UPPER" || s.auto == "SAME_LOWER" {
		count = (e + stride - 1) / stride
		pad := max((count-1)*stride+span-e, 0)
		if s.auto == "SAME_LOWER" {
			return count, (pad + 1) / 2
		}
		return count, pad / 2
	}
	begin, end := s.begin[i], s.end[i]
	if s.auto == "VALID" {
		begin, end = 0, 0
	}
	room := e + begin + end - span
	if room < 0 {
		return 0, begin
	}
	count = room/stride + 1
	if s.ceil && room%stride != 0 && count*stride < e+begin {
		count++
	}
	return count, begin
}

// slide returns the positions along all axes of an image, and the paddings
// before them.
func (c *call) slide(s *sliding, image []number) (out []number, begin []int64, err error) {
	for i, e := range image {
		if !e.known() {
			out, begin = append(out, e), append(begin, s.begin[i])
			continue
		}
		n, b := s.positions(i, e.n)
		if n < 1 && e.n > 0 {
			return nil, nil, c.bad("a window of %d elements does not fit axis %d of %d elements and %d of padding",
				s.span(i), i, e.n, s.begin[i]+s.end[i])
		}
		out, begin = append(out, whole(n)), append(begin, b)
	}
	return out, begin, nil
}

// pool slides a window over each channel.
func pool(c *call) error {
	x, ok := c.shape(0)
	if !ok {
		c.stop()
		return nil
	}
	if len(x) < 3 {
		return c.bad("its input is of rank %d, want 3 or more", len(x))
	}
	s, err := c.sliding(len(x)-2, nil)
	if err != nil {
		return err
	}
	out, _, err := c.slide(s, x[2:])
	if err != nil {
		return err
	}
	c.set(0, slices.Concat(x[:2], out)...)
	c.put(1, &value{shape: slices.Concat(x[:2], out), ranked: true, dtype: int64Type})
	return nil
}

// globalPool leaves one element of each channel.
func globalPool(c *call) error {
	x, ok := c.shape(0)
	if !ok {
		c.stop()
		return nil
	}
	if len(x) < 2 {
		return c.bad("its input is of rank %d, want 2 or more", len(x))
	}
	c.set(0, slices.Concat(x[:2], slices.Repeat([]number{whole(1)}, len(x)-2))...)
	return nil
}

// regionPool pools regions of images to one size.
func regionPool(c *call) error {
	x, ok := c.shape(0)
	regions, ok2 := c.shape(1)
	if !ok || !ok2 {
		c.stop()
		return nil
	}
	if len(x) != 4 || len(regions) < 1 {
		return c.bad("its input is of rank %d, want 4, and its regions of rank %d, want 2", len(x), len(regions))
	}
	h, w := c.integer("output_height", 1), c.integer("output_width", 1)
	if list, ok := c.integers("pooled_shape"); ok && len(list) == 2 {
		h, w = list[0], list[1]
	}
	c.set(0, regions[0], x[1], whole(h), whole(w))
	return nil
}
