// Package oracle is a second implementation of the network model, written to be obviously correct
// rather than fast. Tests compare the engine's results with it, bit by bit.
//
// # Model
//
// It follows docs/model.md sentence by sentence: one global queue of events ordered by time, an
// object for every packet, an event for every credit, and, whenever something happens at a router,
// an attempt to start each requesting packet. It has no windows, no lookahead and no parallelism.
// It shares no code with the engine: it uses only the contract types of package fabric.
//
// It has two parts, which call each other where a packet or a credit goes from one to the other:
// the hosts, with their NICs and buses, and the switches, with routers and links. Both have the
// core in common: specification, time, events and totals.
//
// # Invariants
//
// While it runs it checks what the model promises: credits stay within the size of their buffer, no
// port carries two packets at once, packets stay in order, and at the end every packet, byte and
// credit is accounted for. A broken promise is a fault of the oracle and panics with a description.
// A deadlock of packets is no fault of the oracle: Run returns it as an error.
//
// An Oracle is not safe for use by several goroutines.
package oracle
