package table

import (
	"errors"
	"fmt"
)

// Format says how a table is written.
type Format uint8

// The formats.
const (
	Text     Format = iota // box-drawing characters, for a terminal
	Markdown               // a Markdown table
	CSV                    // one header line of machine names, raw figures
	JSON                   // a list of objects keyed by machine names, raw figures
	NumFormats
)

// ErrFormat is wrapped by ParseFormat's error.
var ErrFormat = errors.New("unknown format")

var formatNames = [NumFormats]string{"table", "markdown", "csv", "json"}

// FormatNames returns the names that ParseFormat knows.
func FormatNames() []string { return append([]string(nil), formatNames[:]...) }

// String returns "table", "markdown", "csv" or "json".
func (f Format) String() string {
	if f < NumFormats {
		return formatNames[f]
	}
	return fmt.Sprintf("format(%d)", uint8(f))
}

// ParseFormat is the inverse of String.
func ParseFormat(s string) (Format, error) {
	for i, n := range formatNames {
		if n == s {
			return Format(i), nil
		}
	}
	return 0, fmt.Errorf("%w %q", ErrFormat, s)
}
