// Package nearest offers the name that somebody probably meant.
package nearest

import (
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// Name returns the name nearest to got by edit distance, and whether it is
// near enough to be worth offering: about two in five characters differ at most
// (one always may, if it is not the whole name), or got, of three characters or
// more, is how the name begins. Case does not count. Of names equally near the
// first wins; a small edit distance precedes a beginning.
func Name(got string, names []string) (best string, ok bool) {
	folded := strings.ToLower(got)
	bestDistance := -1
	for _, name := range names {
		d, near := distance(folded, strings.ToLower(name))
		if near && (bestDistance < 0 || d < bestDistance) {
			best, bestDistance = name, d
		}
	}
	if bestDistance >= 0 {
		return best, true
	}
	if utf8.RuneCountInString(folded) >= 3 {
		for _, name := range names {
			if strings.HasPrefix(strings.ToLower(name), folded) {
				return name, true
			}
		}
	}
	return "", false
}

// Hint returns ", did you mean NAME?" with the nearest name quoted, or "" if
// no name is near: the end of an error message.
func Hint(got string, names []string) string {
	best, ok := Name(got, names)
	if !ok {
		return ""
	}
	return ", did you mean \"" + best + "\"?"
}

// distance returns the edit distance of two strings and whether it is within
// what still looks like a typo.
func distance(a, b string) (d int, near bool) {
	la, lb := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	longer, shorter := max(la, lb), min(la, lb)
	limit := max(1, 2*(longer+1)/5)
	// The distance is at least the difference in length: a long string is
	// told apart without the quadratic comparison.
	if longer-shorter > limit || shorter == 0 {
		return 0, false
	}
	d = levenshtein.ComputeDistance(a, b)
	return d, d <= limit && d < longer
}
