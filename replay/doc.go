// Package replay runs recorded traces on a simulated network.
//
// Each rank of the trace is a rank program. It computes for as long as the trace says, posts the
// sends and receives of the trace in their order, waits where the program waited, and takes part in
// the same collectives, whose messages are simulated. The replay predicts the cost of
// communication. It ignores the cost at the time of recording.
//
// A replay differs from the program where the program's behaviour depends on timing: a receive from
// any source is bound to the recorded source.
package replay
