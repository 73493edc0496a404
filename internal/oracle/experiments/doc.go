// Package experiments draws random networks with random traffic, runs the
// traffic on anything that can carry messages, and compares two runs bit by
// bit. Tests use it to hold the engine against the oracle.
//
// An Experiment is plain data: it prints as JSON, from which Parse makes it
// again, and it can be made smaller piece by piece. Draw makes one from a seed.
// Its messages are posted at fixed times, or when another message has been
// delivered or fetched, so an error in one place spreads to where it is seen.
//
// A Script is the endpoint that posts the messages and writes down what became
// of them, for the hosts of one partition block. Scripts of several blocks may
// run in parallel: each of them writes to its own hosts' entries only.
package experiments
