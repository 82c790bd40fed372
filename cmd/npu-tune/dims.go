package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/npu-tune/npu-tune/models"
)

// dimFlag is the one setting that may be given several times.
const dimFlag = "dim"

const dimWant = "NAME=N with a whole number from 1 to %d, such as batch=4"

// dimensions are sizes that a model's file leaves open.
type dimensions struct{ sizes map[string]int64 }

// get returns the sizes by name; none of no dimensions.
func (d *dimensions) get() map[string]int64 {
	if d == nil {
		return nil
	}
	return d.sizes
}

// parseDims reads NAME=N, or several with commas between.
func parseDims(o *options, value string) error {
	d := &dimensions{sizes: map[string]int64{}}
	for pair := range strings.SplitSeq(value, ",") {
		name, text, ok := strings.Cut(strings.TrimSpace(pair), "=")
		name = strings.TrimSpace(name)
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if !ok || name == "" || err != nil || n < 1 || n > models.MaxDim {
			return fmt.Errorf("got %q, want "+dimWant, pair, models.MaxDim)
		}
		if _, twice := d.sizes[name]; twice {
			return fmt.Errorf("%s is given twice, want it once", name)
		}
		d.sizes[name] = n
	}
	o.dims = d
	return nil
}

// listFlag is a textFlag that may be given several times: its texts are joined
// with commas.
type listFlag struct {
	textFlag
	given bool
}

// Set adds a text.
func (l *listFlag) Set(v string) error {
	if l.given {
		v = l.value + "," + v
	}
	l.given = true
	return l.textFlag.Set(v)
}
