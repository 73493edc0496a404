// Package experiments generates random networks with random traffic, simulates the traffic on any
// fabric.Transport, and compares the results of two runs, which must be exactly equal. Tests use it
// to compare the engine with the oracle, a slow and simple simulator.
//
// An Experiment is plain data. It is printed as JSON, which Parse reads. Draw creates one from a
// seed, and Shrink simplifies one step by step. Messages are posted at fixed times, or when another
// message has been delivered or fetched. An error in one place thus changes later events too, and
// is noticed.
//
// A Script is the endpoint that posts the messages of the hosts of one block and records when they
// were delivered. Scripts of several blocks may run in parallel, since each writes only to the
// entries of its own hosts.
package experiments
