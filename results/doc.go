// Package results says what came of a tuning run: Document is a run's export,
// the JSON that a compiler reads (schema/result.schema.json), with ranking,
// totals against hand-tuned schedules, and tables for people. It does not know how
// schedules are found.
package results
