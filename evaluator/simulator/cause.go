package simulator

// cause says what a stage waits for.
type cause uint8

const (
	computeBound cause = iota
	loadBound
	storeBound
	prologue
	epilogue
	reducing
)

var causeNames = [...]string{"compute-bound", "load-bound", "store-bound", "prologue", "epilogue", "reduction over cores"}

func (c cause) String() string { return causeNames[c] }

// cause returns what a stage of the run waits for.
func (st *stage) cause() cause {
	switch {
	case st.number < 0:
		return prologue
	case !st.operates:
		return epilogue
	case float64(st.compute) >= st.dma:
		return computeBound
	case st.read >= st.write:
		return loadBound
	default:
		return storeBound
	}
}
