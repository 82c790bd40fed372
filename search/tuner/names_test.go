package tuner

import (
	"errors"
	"testing"
)

func TestNamesRoundTrip(t *testing.T) {
	for _, name := range PassesNames() {
		if p, err := ParsePasses(name); err != nil || p.String() != name {
			t.Errorf("passes %q: parsed as %s, error %v", name, p, err)
		}
	}
	for _, name := range StrategyNames() {
		if s, err := ParseStrategy(name); err != nil || s.Name() != name {
			t.Errorf("strategy %q: parsed as %v, error %v", name, s, err)
		}
	}
	if _, err := ParsePasses("sideways"); !errors.Is(err, ErrPasses) {
		t.Errorf("error is %v, want ErrPasses", err)
	}
	if _, err := ParseStrategy("oracle"); !errors.Is(err, ErrStrategy) {
		t.Errorf("error is %v, want ErrStrategy", err)
	}
}
