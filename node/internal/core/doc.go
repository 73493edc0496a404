// Package core holds what all parts of a node share: the records of ranks, requests and unexpected
// messages with their pools, the contents of messages under way, communicators, the kinds of messages
// between nodes, and the errors of programs.
package core
