package table

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Write writes the table to w, its title first in the formats for people.
func (t *Table) Write(w io.Writer, f Format) error {
	switch f {
	case CSV:
		return t.writeCSV(w)
	case JSON:
		return t.writeJSON(w)
	case Markdown:
		return t.writePretty(w, "**%s**\n\n", markdown())
	}
	return t.writePretty(w, "%s\n", text())
}

func text() tablewriter.Option {
	return tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{Symbols: tw.NewSymbols(tw.StyleLight)}))
}

func markdown() tablewriter.Option { return tablewriter.WithRenderer(renderer.NewMarkdown()) }

func (t *Table) writePretty(w io.Writer, title string, style tablewriter.Option) error {
	if t.Title != "" {
		if _, err := fmt.Fprintf(w, title, t.Title); err != nil {
			return err
		}
	}
	cols := t.visible()
	header := make([]string, len(cols))
	align := make(tw.Alignment, len(cols))
	for i, c := range cols {
		header[i], align[i] = t.Columns[c].Title, tw.AlignLeft
		if t.numeric(c) {
			align[i] = tw.AlignRight
		}
	}
	rows := make([][]string, len(t.Rows))
	for r, row := range t.Rows {
		for _, c := range cols {
			rows[r] = append(rows[r], t.Columns[c].human(row[c]))
		}
	}
	var b bytes.Buffer
	out := tablewriter.NewTable(&b, style,
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: align}))
	out.Header(header)
	if err := out.Bulk(rows); err != nil {
		return err
	}
	if err := out.Render(); err != nil {
		return err
	}
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

func (t *Table) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	record := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		record[i] = c.Key
	}
	if err := out.Write(record); err != nil {
		return err
	}
	for _, row := range t.Rows {
		for i, cell := range row {
			record[i] = raw(cell)
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func (t *Table) writeJSON(w io.Writer) error {
	var b bytes.Buffer
	b.WriteString("[")
	for r, row := range t.Rows {
		if r > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n  {")
		for i, cell := range row {
			if i > 0 {
				b.WriteString(", ")
			}
			value, err := json.Marshal(cell)
			if err != nil {
				return fmt.Errorf("column %s: %w", t.Columns[i].Key, err)
			}
			fmt.Fprintf(&b, "%q: %s", t.Columns[i].Key, value)
		}
		b.WriteString("}")
	}
	if len(t.Rows) > 0 {
		b.WriteString("\n")
	}
	b.WriteString("]\n")
	_, err := w.Write(b.Bytes())
	return err
}
