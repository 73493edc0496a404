// Package trace defines a format-independent model of a trace of an MPI application: the
// computation, messages, waits and collectives of each rank, in program order, or as a graph of
// tasks.
//
// Each format is a sub-package with an Open function that returns a [Source] or a [Graph]. Streams
// read the files incrementally: their memory depends on the number of pending operations, not on
// the length of the trace.
//
// All times in this model are durations of computation, in ps. Recorded communication times are
// discarded, because package replay predicts them.
package trace
