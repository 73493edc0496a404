// Package oracle is a second implementation of the network model, written to be obviously correct
// rather than fast. Tests compare the engine's results with it, bit by bit.
//
// # Model
//
// It follows docs/model.md sentence by sentence. It has one global queue of events ordered by time,
// an object for every packet, and an event for every credit. Whenever something happens at a
// router, it tries to start each requesting packet. It has no windows, no lookahead and no
// parallelism. It shares no code with the engine: it uses only the types of package fabric that
// define the interface.
//
// It has two parts: the hosts, with their NICs and buses, and the switches, with routers and links.
// They call each other when a packet or a credit goes from one to the other. Both share the core:
// specification, time, events and totals.
//
// # Invariants
//
// While it runs, it checks the invariants of the model: credits stay within the size of their
// buffer, no port carries two packets at once, packets stay in order, and at the end every packet,
// byte and credit is accounted for. A violated invariant is a bug in the oracle, which panics with
// a description. A deadlock of packets is not a bug: Run returns it as an error.
//
// An Oracle is not safe for concurrent use.
package oracle
