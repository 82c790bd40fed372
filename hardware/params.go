package hardware

// Role says what a tensor is to an operation, for NPUs whose SPM is divided.
type Role uint8

// X and dY are inputs, W is the weights, Y, dX and dW live in accumulators.
const (
	Inputs Role = iota
	Weights
	Accumulators
	NumRoles
)

// Pool is one physically separate SPM.
type Pool struct {
	Bytes int64 // capacity per core; 0 means unlimited
}

// Energy holds the constants of the cost model's section 7.
type Energy struct {
	MACPJ            float64 `json:"mac_pj" yaml:"mac_pj"`
	SPMPJPerByte     float64 `json:"spm_pj_per_byte" yaml:"spm_pj_per_byte"`
	DRAMPJPerByte    float64 `json:"dram_pj_per_byte" yaml:"dram_pj_per_byte"`
	StaticPJPerCycle float64 `json:"static_pj_per_cycle" yaml:"static_pj_per_cycle"`
}

// Params are the figures of an NPU that cost depends on, in the units of the
// cost model: bytes, cycles, pJ. NPU.Params derives them.
type Params struct {
	Rows, Cols    int64 // PEs of one core's array
	Pipelined     bool  // the next fold's fill hides behind this fold
	BytesPerCycle float64
	DMALatency    int64 // cycles of each stage that moves anything
	BytesIn       int64 // bytes of an element read from DRAM as input
	BytesOut      int64 // bytes of a complete output element
	BytesAcc      int64 // bytes of a partial sum
	Multicast     bool  // one DRAM read serves every core that wants the part
	SharedSPM     bool  // the cores' SPMs are one
	Cores         int64 // cores that a pass may use; 0 means as many as a schedule says
	Energy        Energy

	// Pools are the separate SPMs, PoolOf the pool of each role. A unified
	// SPM has one pool.
	Pools  [NumRoles]Pool
	PoolOf [NumRoles]uint8
	NPools int

	// Dataflows that the array can run; all zero means all of them.
	Dataflows [NumDataflows]bool
	// ExplicitIm2col moves the im2col matrix instead of input pixels.
	ExplicitIm2col bool
}

// UnifiedSPM sets one pool of the given bytes per core for all roles.
func (p *Params) UnifiedSPM(bytes int64) {
	p.NPools = 1
	p.PoolOf = [NumRoles]uint8{}
	p.Pools = [NumRoles]Pool{{Bytes: bytes}}
}

// SPMBytes returns the capacity of all pools of one core together; 0 means
// unlimited.
func (p *Params) SPMBytes() int64 {
	var sum int64
	for i := range p.NPools {
		sum += p.Pools[i].Bytes
	}
	return sum
}

// HasDataflow reports whether the array can run d.
func (p *Params) HasDataflow(d Dataflow) bool {
	return p.Dataflows == [NumDataflows]bool{} || p.Dataflows[d]
}
