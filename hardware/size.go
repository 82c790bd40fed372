package hardware

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/npu-tune/npu-tune/internal/nearest"
)

// size is a number of bytes as a file has it, in JSON: 4096 or "4 KiB".
type size string

var units = []string{"B", "KiB", "MiB", "GiB", "TiB"}

// UnmarshalJSON implements json.Unmarshaler.
func (s *size) UnmarshalJSON(b []byte) error {
	*s = size(b)
	return nil
}

// MarshalJSON implements json.Marshaler.
func (s size) MarshalJSON() ([]byte, error) { return []byte(s), nil }

func sizeOf(bytes int64) *size {
	s := size(strconv.FormatInt(bytes, 10))
	return &s
}

// size reads a number of bytes, reporting what is none.
func (v *violations) size(field string, s size) int64 {
	text := string(s)
	if json.Unmarshal([]byte(s), &text) != nil {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
		v.add(field, "is %s, want a whole number of bytes, or one with a unit such as 256KiB", text)
		return 0
	}
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	unit := strings.TrimSpace(text[len(digits):])
	n, err := strconv.ParseInt(digits, 10, 64)
	for i, u := range units {
		if scale := int64(1) << (10 * i); err == nil && unit == u && n >= 0 && n <= MaxSPMBytes/scale {
			return n * scale
		}
	}
	v.add(field, "is %q, want a whole number and one of %s, up to %s%s", text, strings.Join(units, ", "),
		formatBytes(MaxSPMBytes), unitHint(unit))
	return 0
}

// unitHint offers the unit that somebody meant who wrote MB.
func unitHint(unit string) string {
	for _, u := range units {
		if unit == u {
			return ""
		}
		if strings.EqualFold(strings.Replace(u, "i", "", 1), unit) {
			return ", did you mean \"" + u + "\"?"
		}
	}
	return nearest.Hint(unit, units)
}

// formatBytes writes bytes in the largest unit that divides them.
func formatBytes(bytes int64) string {
	i := 0
	for bytes != 0 && bytes%1024 == 0 && i < len(units)-1 {
		bytes /= 1024
		i++
	}
	return fmt.Sprintf("%d %s", bytes, units[i])
}
