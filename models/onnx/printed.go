package onnx

import (
	"fmt"
	"strings"
)

// short cuts a name to what fits a message.
func short(name string) string {
	const most = 200
	if len(name) > most {
		return name[:most] + "…"
	}
	return name
}

// printed returns a shape for messages.
func printed(shape []number) string {
	var b strings.Builder
	for i, e := range shape {
		if i > 0 {
			b.WriteByte(',')
		}
		if e.known() {
			fmt.Fprint(&b, extent(e.n))
		} else {
			b.WriteByte('?')
		}
	}
	return "[" + b.String() + "]"
}
