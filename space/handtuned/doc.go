// Package handtuned gives the schedules that people write by hand today, as
// baselines: fixed schedules are built here, and families are restrictions of
// the space whose best member a search finds. It knows no costs.
package handtuned
