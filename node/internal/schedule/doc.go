// Package schedule determines what happens when on the hosts of a block: the clocks of ranks,
// events, arrivals and timers, messages to be passed to NICs, the order of messages between two
// ranks, and the use of processors that take part in communication.
package schedule
