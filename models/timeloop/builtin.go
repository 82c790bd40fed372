package timeloop

import "strings"

// builtins are the names of shapes that files refer to without writing them out.
func builtins() []string { return []string{"cnn-layer", "gemm"} }

// builtin returns one of them, nil if there is none of that name. Spellings of
// different versions differ in dashes and capitals.
func builtin(name string) *shape {
	axis := func(dims string) (axes [][]term) {
		for _, d := range strings.Fields(dims) {
			axes = append(axes, []term{{dim: d}})
		}
		return axes
	}
	switch strings.ToLower(strings.Map(dashes, strings.TrimSuffix(name, ".yaml"))) {
	case "cnn-layer", "cnn":
		return &shape{
			name: "", dims: strings.Fields("R S P Q C K N"),
			coefficients: map[string]int64{"Wstride": 1, "Hstride": 1, "Wdilation": 1, "Hdilation": 1},
			w:            space{name: "Weights", axes: axis("C K R S")},
			x: space{name: "Inputs", axes: append(axis("N C"),
				[]term{{"R", "Wdilation"}, {"P", "Wstride"}}, []term{{"S", "Hdilation"}, {"Q", "Hstride"}})},
			y: space{name: "Outputs", axes: axis("N K Q P"), output: true},
		}
	case "gemm", "gemm-abz":
		return &shape{
			dims: strings.Fields("M N K"), coefficients: map[string]int64{},
			x: space{name: "A", axes: axis("M K")}, w: space{name: "B", axes: axis("N K")}, y: space{name: "Z", axes: axis("M N"), output: true},
		}
	}
	return nil
}

func dashes(r rune) rune {
	if r == '_' {
		return '-'
	}
	return r
}
