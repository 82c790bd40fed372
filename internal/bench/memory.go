package main

import (
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// watch samples the memory of the program until it is stopped, and returns the
// most that was in use, in bytes: all that the runtime has from the system less
// what it gave back.
func watch() (stop func() int64) {
	debug.FreeOSMemory()
	done, most := make(chan struct{}), make(chan int64)
	go func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		peak := memory()
		for {
			select {
			case <-tick.C:
				peak = max(peak, memory())
			case <-done:
				most <- max(peak, memory())
				return
			}
		}
	}()
	return func() int64 {
		close(done)
		return <-most
	}
}

func memory() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64()) - int64(samples[1].Value.Uint64())
}
