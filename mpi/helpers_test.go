package mpi_test

import "fabricast/fabric"

// postTimes notes when messages are due at their NICs, in the order in which they are handed over.
func postTimes(times *[]int64) func(*fabric.Message, *fabric.Extra) {
	return func(m *fabric.Message, _ *fabric.Extra) { *times = append(*times, m.Post) }
}
