package file_test

import (
	"errors"
	"testing"

	"github.com/npu-tune/npu-tune/models/file"
)

// What is read is valid, round-trips and, as JSON, follows the schema; what is
// not says so.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"layers:\n- {m: 1, n: 2, k: 3}",
		`{"name": "x", "notes": ["a"], "other_parameters": 3, "layers": [{"m": 4, "n": 2, "k": 9, "conv": {"h": 4, "w": 4, "p": 2, "q": 2, "r": 3, "s": 3}}]}`,
		"layers:\n- &a {channels: 8, height: 10, width: 7, filters: 4, kernel: [3, 1], padding: [0, 1, 2, 3], stride: 2, dilation: 2, groups: 2}\n- {<<: *a, count: 3, name: b}",
		"name: 'a: b'\nlayers:\n  - name: x\n    m: 1\n    n: 1\n    k: 1\n    batch: 2\n    activations: true\n    no_input_grad: false",
	} {
		f.Add([]byte(seed))
	}
	s := schema(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := file.Parse(data, "fuzz.yaml")
		if err != nil {
			if !errors.Is(err, file.ErrFile) {
				t.Fatalf("error %v does not wrap ErrFile", err)
			}
			return
		}
		if err := m.Validate(); err != nil {
			t.Fatalf("read but invalid: %v", err)
		}
		roundTrip(t, m)
		if err, ok := conforms(s, data); ok && err != nil {
			t.Errorf("read, but does not follow the schema: %v", err)
		}
		if err, ok := conforms(s, file.JSON(m)); !ok || err != nil {
			t.Errorf("written, but does not follow the schema: %v", err)
		}
	})
}
