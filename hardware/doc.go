// Package hardware describes where training runs: an NPU is its array, SPM,
// DRAM interface and cores, as read from YAML or from an embedded preset;
// Params are the figures of it that the cost model needs. It knows nothing of
// models or schedules.
package hardware
