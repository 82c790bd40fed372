package rules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/npu-tune/npu-tune/internal/yamltree"
	"github.com/npu-tune/npu-tune/space"
)

// wholeOf reads a schedule of which nothing is left open; nil if something is.
func wholeOf(n *yamltree.Node) *space.Schedule {
	var b bytes.Buffer
	writeJSON(&b, &yamltree.Node{Kind: yamltree.Map, Entries: slices.DeleteFunc(slices.Clone(n.Entries), func(e yamltree.Entry) bool {
		return e.Key == "layer" || e.Key == "shape"
	})})
	var s space.Schedule
	if json.Unmarshal(b.Bytes(), &s) != nil {
		return nil
	}
	return &s
}

func writeJSON(b *bytes.Buffer, n *yamltree.Node) {
	switch n.Kind {
	case yamltree.Map:
		b.WriteByte('{')
		for i, e := range n.Entries {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(b, "%q:", e.Key)
			writeJSON(b, e.Value)
		}
		b.WriteByte('}')
	case yamltree.List:
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, item)
		}
		b.WriteByte(']')
	case yamltree.Text:
		fmt.Fprintf(b, "%q", n.Text)
	case yamltree.Null:
		b.WriteString("null")
	default:
		b.WriteString(n.Text)
	}
}
