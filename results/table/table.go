package table

import (
	"fmt"
	"strconv"
	"strings"
)

// Column is one column of a table.
type Column struct {
	// Title heads the column for people, with the unit of the scaled figure.
	Title string
	// Key heads the column for machines, with the unit of the raw figure.
	Key string
	// Scale divides figures before people see them; 0 means 1.
	Scale float64
	// Digits is how many decimals people see of a figure with a fraction or
	// a scale; whole unscaled figures show none.
	Digits int
	// Hidden columns are for machines only.
	Hidden bool
}

// Table is a titled list of rows. A cell is nil (unknown), a string, a bool,
// an int64 or a float64.
type Table struct {
	Title   string
	Columns []Column
	Rows    [][]any
}

// Add appends a row of one cell a column.
func (t *Table) Add(cells ...any) { t.Rows = append(t.Rows, cells) }

// visible returns the indexes of the columns that people see.
func (t *Table) visible() []int {
	var cols []int
	for i, c := range t.Columns {
		if !c.Hidden {
			cols = append(cols, i)
		}
	}
	return cols
}

// numeric reports whether the column holds figures: it is right-aligned then.
func (t *Table) numeric(col int) bool {
	for _, row := range t.Rows {
		switch row[col].(type) {
		case int64, float64:
			return true
		}
	}
	return false
}

// human formats a cell for people.
func (c Column) human(cell any) string {
	switch v := cell.(type) {
	case nil:
		return "–"
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case int64:
		if c.Scale == 0 {
			return group(strconv.FormatInt(v, 10))
		}
		return c.scaled(float64(v))
	case float64:
		return c.scaled(v)
	}
	return fmt.Sprint(cell)
}

func (c Column) scaled(v float64) string {
	if c.Scale != 0 {
		v /= c.Scale
	}
	return group(strconv.FormatFloat(v, 'f', c.Digits, 64))
}

// raw formats a cell for machines; unknown is empty.
func raw(cell any) string {
	switch v := cell.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(cell)
}

// group puts commas between the thousands of a decimal number.
func group(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, fraction, dot := strings.Cut(s, ".")
	if dot {
		fraction = "." + fraction
	}
	var b strings.Builder
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	return sign + b.String() + fraction
}
