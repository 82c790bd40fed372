package handtuned

import "testing"

func TestStrip(t *testing.T) {
	for _, c := range []struct {
		name                     string
		m, n, k, width, elements int64
		tm, tn, tk               int64
	}{
		// 45·t² + 46,000·t = 262,144 has the root 5.67; (262,144 − 5000)/1005 = 255.9.
		{"strip", 1000, 1000, 1000, 45, 524288, 1000, 255, 5},
		// The root is 75.8, more than k = 10; n is whole, so the rest is k's: min(10, 260).
		{"short reduction", 1, 1000, 10, 45, 524288, 1, 1000, 10},
		// The root is 75.8 again; n is whole, and k's rest is (262,144 − 8)/9 = 29,126.
		{"few columns", 1, 8, 100000, 45, 524288, 1, 8, 29126},
		// k = 4 is below the root 6.3 and takes its strip: m = min(60, 4096/4).
		{"strip by SPM", 60, 1000, 4, 4, 4096, 60, 28, 4},
		// 8·t² + 9·1000·t = 5 has a root below one: extents never do.
		{"tiny SPM", 1000, 10, 10, 8, 10, 1000, 1, 1},
	} {
		tm, tn, tk := strip(c.m, c.n, c.k, c.width, c.elements)
		if tm != c.tm || tn != c.tn || tk != c.tk {
			t.Errorf("%s: %d × %d × %d, want %d × %d × %d", c.name, tm, tn, tk, c.tm, c.tn, c.tk)
		}
	}
}
