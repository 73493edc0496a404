package engine

import "runtime"

// Workers returns the best number of workers for a number of blocks: one per block, but at most the
// number of processors, since workers meet at every window and would otherwise delay each other.
func Workers(blocks int) int { return min(blocks, runtime.GOMAXPROCS(0)) }
