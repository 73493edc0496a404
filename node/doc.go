// Package node runs the ranks of a parallel program on top of a network.
//
// # Model
//
// Every host runs one rank or more. A rank is a [Program]: it emits operations
// (send, receive, compute, wait) into an [Ops] and is resumed when the outcome
// it waits for is known. The package turns operations into messages of the
// eager protocol or of a rendezvous, matches arriving messages with receives by the rules of MPI,
// and keeps each rank's clock.
//
// Costs, in picoseconds of the rank's own clock:
//
//   - a send costs the software overhead, and with one-copy also size/memory
//     for the copy into the library's buffer; then the NIC may start on it.
//     With zero-copy the send is complete when the NIC has read the last byte
//     of the buffer, with one-copy at once;
//   - posting a receive is free;
//   - completing a receive (wait, waitany, successful test) costs the overhead,
//     and with one-copy also size/memory, from the later of the rank's clock and
//     the message's arrival on. Several receives are charged in order of arrival;
//   - completing a send costs nothing but the time until it is complete;
//   - a message of a rank to itself never touches the network: it costs the
//     sender the overhead and one copy (size/memory) and has arrived then; one to another
//     rank of its host likewise, at a rate of its own, but for a latency;
//   - a probe costs the overhead once it has its answer; an iprobe of either
//     outcome, and a test that fails, costs the overhead but at least 1 ns, so that a
//     polling loop always gets on.
//
// # Running ahead
//
// A rank's clock may be ahead of the simulated time of its host. Receives are posted to the
// matching the moment the program emits them: which message meets which receive depends only on the
// order of the receives and the order of the arrivals, not on how the two interleave. Arrivals,
// which the network announces ahead of time, are matched at their own time, in the order (time,
// network before local, NIC or sender). Questions about the present (iprobe, test) wait until the
// host's time has passed the rank's clock.
//
// Messages go to the network as they are sent, with their time in the future, if nobody but one
// rank sends from a host. Where ranks share a host, or NICs answer messages, they wait in an outbox
// for their time (docs/model.md, "The node").
//
// # Parts
//
// A [Block] is made of parts that own their state: requests, clocks, statistics, outbox, schedule,
// programs, matching, waiting, rendezvous, one-sided operations (docs/nodes.md has a map of them
// and the life of a message).
//
// # Ownership
//
// A [World] is the whole program; a [Block] owns the ranks of one partition block and is used by
// one goroutine at a time. What blocks share is the World's registry of contexts, its store of
// payloads, and its first error; all are locked, and none of them influences simulated time.
package node
