// Package replay runs recorded traces on a simulated network.
//
// Each rank of the trace becomes a rank program. It computes for the recorded times, posts the
// recorded sends and receives in their order, waits where the traced program waited, and takes part
// in the same collectives, whose messages are simulated. The replay predicts the time of
// communication, and ignores the recorded time of communication.
//
// A replay does not reproduce behaviour that depends on timing. For example, a receive from any
// source receives from the recorded source.
package replay
