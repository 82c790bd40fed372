package igo

import (
	"math"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/space"
)

// Figures are what the study keeps of a cost: cycles, and bytes over the DRAM
// interface, dY's apart.
type Figures struct {
	Cycles float64
	Read   int64
	Write  int64
	DYRead int64
}

// impossible stands for what cannot be run.
func impossible() Figures { return Figures{Cycles: math.Inf(1)} }

// Possible reports whether the figures are of something that can be run.
func (f Figures) Possible() bool { return !math.IsInf(f.Cycles, 1) }

func figuresOf(c *evaluator.Cost) Figures {
	f := Figures{Cycles: c.Cycles, DYRead: c.Traffic[space.GradY].Read}
	for _, t := range c.Traffic {
		f.Read += t.Read
		f.Write += t.Write
	}
	return f
}

func (f Figures) plus(g Figures) Figures {
	return Figures{f.Cycles + g.Cycles, f.Read + g.Read, f.Write + g.Write, f.DYRead + g.DYRead}
}

func (f Figures) times(n int64) Figures {
	return Figures{f.Cycles * float64(n), f.Read * n, f.Write * n, f.DYRead * n}
}

// better returns the faster of two.
func (f Figures) better(g Figures) Figures {
	if g.Cycles < f.Cycles {
		return g
	}
	return f
}
