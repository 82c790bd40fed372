// Command bench measures the speed of the evaluators and of the searches and
// prints a table for each part: go run ./internal/bench -parts speed,proof.
// Benchmarks of single functions are beside their packages.
package main
