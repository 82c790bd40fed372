package space_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/npu-tune/npu-tune/space"
)

const backward = `{"pass":"backward","shared":["m","n"],` +
	`"dx":{"tile":{"m":4,"n":3,"k":2},"order":["m","n","k"],"hold":{"dy":2,"w":3,"dx":1},"dataflow":"os","cores":{"m":2,"n":1,"k":1}},` +
	`"dw":{"tile":{"m":4,"n":3,"k":5},"order":["m","n","k"],"hold":{"x":3,"dy":2,"dw":0},"dataflow":"is","cores":{"m":2,"n":1,"k":1}}}`

func TestScheduleJSON(t *testing.T) {
	var s space.Schedule
	if err := json.Unmarshal([]byte(backward), &s); err != nil {
		t.Fatal(err)
	}
	dx := s.Ops[space.DX]
	if s.Shared != 2 || dx.Order != (space.Order{space.M, space.N, space.K}) || dx.Cores != [3]uint16{2, 0, 0} {
		t.Errorf("decoded %+v", s)
	}
	// dY lacks k, W lacks m, dX lacks n.
	if want := [3]uint8{space.K: 2, space.M: 3, space.N: 1}; dx.Hold != want {
		t.Errorf("dx holds %v, want %v", dx.Hold, want)
	}
	b, err := json.Marshal(s)
	if err != nil || string(b) != backward {
		t.Errorf("encoded %s (%v)\nwant    %s", b, err, backward)
	}
}

func TestScheduleJSONErrors(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"pass", `"backward"`, `"backwards"`, `pass is "backwards", want "backward"`},
		{"no pass", `"pass":"backward",`, ``, `pass is missing, want forward, dw or backward`},
		{"unknown field", `"shared"`, `"sharde"`, `sharde is not known here, want "shared"`},
		{"twice", `"shared":["m","n"]`, `"shared":["m","n"],"shared":["m"]`, `shared stands twice`},
		{"shared prefix", `"shared":["m","n"]`, `"shared":["m","k"]`, `shared is [m k], but dx.order begins with [m n]`},
		{"shared not a dim", `"shared":["m","n"]`, `"shared":["m","q"]`, `shared[1] is "q", want m, n or k`},
		{"burst", `"shared":["m","n"]`, `"shared":["m","n"],"burst":2`, `burst is 2`},
		{"missing extent", `"tile":{"m":4,"n":3,"k":2}`, `"tile":{"m":4,"k":2}`, `dx.tile.n is missing`},
		{"zero extent", `"tile":{"m":4,"n":3,"k":2}`, `"tile":{"m":4,"n":0,"k":2}`, `dx.tile.n is 0, want a whole number from 1`},
		{"fraction", `"tile":{"m":4,`, `"tile":{"m":4.5,`, `dx.tile.m is 4.5`},
		{"permutation", `"order":["m","n","k"]`, `"order":["m","n","n"]`, `dx.order[2] is "n" again`},
		{"short order", `"order":["m","n","k"]`, `"order":["m","n"]`, `dx.order has 2 loops`},
		{"wrong tensor", `"hold":{"dy":2`, `"hold":{"x":2`, `dx.hold.x is not known here, want`},
		{"missing tensor", `"hold":{"dy":2,`, `"hold":{`, `dx.hold.dy is missing`},
		{"level", `"dy":2`, `"dy":4`, `dx.hold.dy is 4, want a whole number from 0 to 3`},
		{"dataflow", `"os"`, `"oz"`, `dx.dataflow is "oz"`},
		{"cores", `"cores":{"m":2`, `"cores":{"m":0`, `dx.cores.m is 0`},
		{"foreign op", `"dx":`, `"fwd":`, `fwd does not belong to the backward pass`},
		{"missing op", `"pass":"backward","shared":["m","n"],`, `"pass":"dw",`, `dx does not belong to the dw pass`},
		{"not an object", backward, `7`, `is 7, want an object`},
	} {
		text := strings.Replace(backward, c.old, c.new, 1)
		if text == backward {
			t.Fatalf("%s: nothing replaced", c.name)
		}
		var s space.Schedule
		err := json.Unmarshal([]byte(text), &s)
		if !errors.Is(err, space.ErrSyntax) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}
