// Package simulator costs a schedule by running it: it walks every tile
// operation in order, finds out from the walk alone which tiles enter and
// leave the SPM, and steps the DMA engine and the array through their stages.
//
// It follows docs/cost-model.md and shares no cost code with the closed form,
// so that agreement of the two is evidence. Besides the Cost it has a real SPM
// (Run), real numbers (Replay), a cache policy for sequences without a plan
// (RunLRU) and timelines (WriteTrace).
package simulator
