package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"

	"github.com/npu-tune/npu-tune/models"
)

const gemmWant = "MxNxK or MxNxKxBATCH, such as 3136x64x576"

// parseGEMM reads a single layer: Y[M,N] = X[M,K]·W[K,N], repeated batch
// times.
func parseGEMM(o *options, value string) error {
	parts := strings.FieldsFunc(value, func(r rune) bool { return r == 'x' || r == 'X' || r == '×' })
	separators := strings.Count(value, "x") + strings.Count(value, "X") + strings.Count(value, "×")
	if len(parts) < 3 || len(parts) > 4 || separators != len(parts)-1 {
		return fmt.Errorf("got %q, want %s", value, gemmWant)
	}
	l := models.Layer{Name: "gemm"}
	for i, at := range []*int64{&l.M, &l.N, &l.K, &l.Batch}[:len(parts)] {
		n, err := strconv.ParseInt(parts[i], 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange), err == nil && (n < 1 || n > models.MaxDim):
			return fmt.Errorf("%s of %q is %s, want 1 to %d", [...]string{"M", "N", "K", "the batch"}[i], value, parts[i], models.MaxDim)
		case err != nil:
			return fmt.Errorf("got %q, want %s", value, gemmWant)
		}
		*at = n
	}
	o.gemm = &l
	return nil
}

// gemmModel is a network of one layer.
func gemmModel(l models.Layer) models.Model {
	name := fmt.Sprintf("%dx%dx%d", l.M, l.N, l.K)
	if l.Batch > 1 {
		name += fmt.Sprintf("x%d", l.Batch)
	}
	return models.Model{Name: name, Layers: []models.Layer{l}}
}

// precedence says who set a setting: 3 a flag, 2 the environment, 1 the
// configuration file, 0 nobody.
func precedence(c *cobra.Command, v *viper.Viper, name string) int {
	switch {
	case c.Flags().Changed(name):
		return 3
	case os.Getenv(variable(name)) != "":
		return 2
	case v.GetString(name) != "":
		return 1
	}
	return 0
}

// settleGEMM decides between a single layer and a network, and drops the
// other: whoever comes first in precedence has it. Where both are given in one
// place, or sizes that only a network has, it is an error.
func settleGEMM(c *cobra.Command, v *viper.Viper, file string, o *options) error {
	if o.gemm == nil {
		return nil
	}
	gemm := precedence(c, v, "gemm")
	model := precedence(c, v, "model")
	if model > gemm {
		o.gemm = nil
		return nil
	}
	var errs []error
	for _, name := range []string{"model", "batch", "image", "seq"} {
		if precedence(c, v, name) == gemm || name != "model" && precedence(c, v, name) > gemm {
			errs = append(errs, usagef("%s and %s are both given, want one of them", origin(c, file, "gemm"), origin(c, file, name)))
		}
	}
	o.model, o.size.Batch, o.size.Image, o.size.Seq = "", 0, 0, 0
	return errors.Join(errs...)
}
