// Package genetic evolves schedules: a strategy for evaluators without
// bounds, and for spaces too wide to prove. It builds on eaopt's generational
// model; measuring, elites, restarts, polishing and the archive are its own.
package genetic
