package engine

import "runtime"

// Workers is how many workers drive a number of blocks best: one for each block, but no more than there
// are processors, since workers that wait for one another at every window get in each other's way.
func Workers(blocks int) int { return min(blocks, runtime.GOMAXPROCS(0)) }
