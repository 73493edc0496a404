// Package trace describes what the ranks of a traced application did, independently of the trace's
// format: computation, messages, waits and collectives, in the order in which each rank did them.
//
// A format is a sub-package with an Open function that returns a [Source] or a [Graph]. Streams
// read the files as they go: the memory they need depends on what is outstanding at a time, not on
// the length of the trace.
//
// Times within a trace are durations of computation, in ps. The times of communication in the
// recording are not kept: package replay predicts them anew.
package trace
