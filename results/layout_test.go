package results

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestLayoutKeepsShortValuesOnALine(t *testing.T) {
	long := strings.Repeat("x", lineWidth)
	raw := `{"a":{"b":1,"c":[1,2]},"text":"` + long + `","list":[{"d":null},{}]}`
	want := `{
  "a": {"b": 1, "c": [1, 2]},
  "text": "` + long + `",
  "list": [{"d": null}, {}]
}`
	var b bytes.Buffer
	if err := layout(&b, json.RawMessage(raw), 0); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestLayoutChangesOnlySpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := value(3).Draw(t, "value")
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var laid, compact bytes.Buffer
		if err := layout(&laid, raw, 0); err != nil {
			t.Fatal(err)
		}
		if err := json.Compact(&compact, laid.Bytes()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(raw), compact.String()); diff != "" {
			t.Fatal(diff)
		}
	})
}

// value generates JSON values of some depth.
func value(depth int) *rapid.Generator[any] {
	leaf := rapid.OneOf(rapid.String().AsAny(), rapid.Int64().AsAny(), rapid.Bool().AsAny())
	if depth == 0 {
		return leaf
	}
	return rapid.OneOf(leaf,
		rapid.SliceOfN(value(depth-1), 0, 6).AsAny(),
		rapid.MapOfN(rapid.String(), value(depth-1), 0, 6).AsAny())
}
