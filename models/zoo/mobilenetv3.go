package zoo

import "fmt"

// mobileNetV3Features adds the convolutions of MobileNetV3-Large (Howard et al.,
// Searching for MobileNetV3, arXiv:1905.02244, table 1) with frozen batch
// normalization, which holds no parameters. It returns the output of each block
// by its place: 0 the stem, 1 to 15 the blocks, 16 the last 1x1.
func mobileNetV3Features(b *builder, name string) []feature {
	x := b.conv(name+".0.0", b.input(3), frozen(16, 3, 2))
	outputs := []feature{x}
	for i, block := range []struct {
		kernel, expanded, out int64
		squeeze               bool // with squeeze and excitation
		stride                int64
	}{
		{3, 16, 16, false, 1},
		{3, 64, 24, false, 2},
		{3, 72, 24, false, 1},
		{5, 72, 40, true, 2},
		{5, 120, 40, true, 1},
		{5, 120, 40, true, 1},
		{3, 240, 80, false, 2},
		{3, 200, 80, false, 1},
		{3, 184, 80, false, 1},
		{3, 184, 80, false, 1},
		{3, 480, 112, true, 1},
		{3, 672, 112, true, 1},
		{5, 672, 160, true, 2},
		{5, 960, 160, true, 1},
		{5, 960, 160, true, 1},
	} {
		part := 0
		next := func() string { // the name of the block's next part
			part++
			return fmt.Sprintf("%s.%d.block.%d", name, i+1, part-1)
		}
		if block.expanded != x.channels {
			x = b.conv(next()+".0", x, frozen(block.expanded, 1, 1))
		}
		filter := frozen(block.expanded, block.kernel, block.stride)
		filter.groups = block.expanded
		x = b.conv(next()+".0", x, filter)
		if block.squeeze {
			squeezeExcite(b, next(), x.channels)
		}
		x = b.conv(next()+".0", x, frozen(block.out, 1, 1))
		outputs = append(outputs, x)
	}
	return append(outputs, b.conv(name+".16.0", x, frozen(6*x.channels, 1, 1)))
}

// frozen is same with a batch normalization that is not trained.
func frozen(out, kernel, stride int64) convolution {
	c := same(out, kernel, stride)
	c.norm = false
	return c
}

// squeezeExcite scales channels by what two 1x1 convolutions make of their means.
func squeezeExcite(b *builder, name string, channels int64) {
	mean := feature{channels: channels, h: 1, w: 1}
	y := b.conv(name+".fc1", mean, convolution{out: divisible(channels/4, 8), kernel: 1, bias: true})
	b.conv(name+".fc2", y, convolution{out: channels, kernel: 1, bias: true})
}

// divisible rounds to the nearest multiple of step, at least one step, and one
// further where that would lose more than a tenth.
func divisible(v, step int64) int64 {
	rounded := max(step, (v+step/2)/step*step)
	if 10*rounded < 9*v {
		rounded += step
	}
	return rounded
}
