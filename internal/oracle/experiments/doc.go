// Package experiments generates random networks with random traffic, runs the traffic on any
// fabric.Transport, and compares two runs bit by bit. Tests use it to check the engine against the
// oracle, a slow and simple simulator.
//
// An Experiment is plain data. It prints as JSON, from which Parse restores it, and Shrink reduces
// it piece by piece. Draw makes one from a seed. Messages are posted at fixed times, or when
// another message has been delivered or fetched, so an error in one place changes later events too
// and is noticed.
//
// A Script is the endpoint that posts the messages and records when they were delivered, for the
// hosts of one partition block. Scripts of several blocks may run in parallel, since each writes
// only to its own hosts' entries.
package experiments
