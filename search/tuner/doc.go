// Package tuner tunes a whole model: it turns layers into jobs, costs the
// hand-tuned schedules of each, runs a strategy over all jobs under one
// budget, and adds up what was gained. It knows nothing of files, tables or
// flags.
package tuner
