// Package table prints tables of figures: columns know their unit, their
// machine name and how many digits people want; a table renders as text,
// Markdown, CSV or JSON. People get scaled, rounded figures, machines the raw
// ones in base units.
package table
