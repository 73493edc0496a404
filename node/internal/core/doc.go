// Package core holds what all parts of a node share: the records of ranks, requests and unexpected
// messages with their pools, the contents of messages in flight, communicators, the kinds of
// messages between nodes, and the errors of programs.
//
// Throughout node a slot is the index of a rank in its partition block.
package core
