package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/viper"
)

// settleSizes decides which sizes belong to the model. A file has its own: those
// that somebody of lower precedence set for another model are dropped. Only a
// file has dimensions with names.
func settleSizes(c *cobra.Command, v *viper.Viper, file string, o *options) error {
	model := precedence(c, v, "model")
	if o.gemm != nil {
		model = precedence(c, v, "gemm")
	}
	below := func(name string) bool { return precedence(c, v, name) < model }
	if o.dims != nil && below(dimFlag) {
		o.dims = nil
	}
	if !isModelFile(o.model) || o.gemm != nil {
		if o.dims != nil {
			return usagef("%s: only a model's file has dimensions with names, want --batch, --image or --seq", origin(c, file, dimFlag))
		}
		return nil
	}
	for name, size := range map[string]*int64{"batch": &o.size.Batch, "image": &o.size.Image, "seq": &o.size.Seq} {
		if below(name) {
			*size = 0
		}
	}
	return nil
}
