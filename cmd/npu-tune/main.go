// Command npu-tune finds the best schedules of a network's layers on an NPU:
// how its matrix multiplications, and above all the two gradients of each
// layer, are tiled, ordered and interleaved.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
