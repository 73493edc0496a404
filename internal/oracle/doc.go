// Package oracle is a second implementation of the network model, made to be
// believed rather than to be fast. Tests compare the engine with it, bit by bit.
//
// # Model
//
// It follows docs/model.md sentence by sentence: one global queue of events
// ordered by time, an object for every packet, an event for every credit, and
// at every instant at which something happens at a router a pass over all the
// packets that ask. It has no windows, no lookahead and no parallelism, and it
// shares no code with the engine: of package fabric it uses the contract types
// only.
//
// # Invariants
//
// While it runs it watches over what the model promises: credits stay within
// the buffer they stand for, no port carries two packets at once, packets stay
// in order, and at the end every packet, byte and credit is back where it
// belongs. A broken promise is a bug in the oracle and panics with a
// description. Packets that wait for each other for ever are no bug of the
// oracle: Run returns them as an error.
//
// An Oracle is not safe for use by several goroutines.
package oracle
