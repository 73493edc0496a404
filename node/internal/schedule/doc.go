// Package schedule says what is due when on the hosts of a block: clocks of ranks, events, arrivals
// and timers, messages to be handed to NICs, the order of messages between two ranks, and turns of
// processors that take part in communication.
package schedule
