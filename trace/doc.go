// Package trace describes what the ranks of a traced application did, independently of the trace's
// format: computation, messages, waits and collectives, in the order in which each rank did them.
//
// Each format is a sub-package with an Open function that returns a [Source] or a [Graph]. Streams
// read the files incrementally: their memory depends on the number of pending operations, not on
// the length of the trace.
//
// Times within a trace are durations of computation, in ps. Recorded communication times are not
// kept, because package replay predicts them.
package trace
