// Package exhaustive finds proven optima by branch and bound.
//
// The space of a pass falls into runs: one operation alone, or two gradients
// that share loops or dY. A run's schedules fall into structures: shared loops,
// orders, hold levels, whether dY is one region, partition over cores. Of hold
// levels that make a tensor reload alike only the deepest is kept, since it
// costs the same and needs the least SPM; of loop orders that differ only in
// where loops of one step stand, one is kept. What is left of a structure is a
// box of tile extents, dataflows and bursts: every integer extent is in it.
//
// Boxes wait in a queue by their lower bound (analytic.Model.Bound), the least
// first. A box that cannot beat the best schedule known, or cannot fit the SPM,
// is dropped; any other is split. When the least bound of all boxes reaches the
// best, the best is the optimum of the whole space.
package exhaustive
