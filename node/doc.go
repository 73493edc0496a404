// Package node runs the ranks of a parallel program on top of a network.
//
// # Model
//
// Every host runs one or more ranks. A rank is a [Program]: it emits operations (send, receive,
// compute, wait) into an [Ops] and is resumed when the result that it waits for is known. The package
// translates operations to messages of the eager or the rendezvous protocol, matches arriving
// messages with receives by the rules of MPI, and advances each rank's clock.
//
// Costs, in picoseconds of the rank's own clock:
//
//   - a send costs the software overhead, and with one-copy also size/memory
//     (memory: rate of copies) for the copy into the library's buffer; then the NIC may start the message.
//     With zero-copy the send is complete when the NIC has read the last byte
//     of the buffer, with one-copy at once;
//   - posting a receive is free;
//   - completing a receive (wait, waitany, successful test) costs the overhead,
//     and with one-copy also size/memory, starting at the later of the rank's clock
//     and the message's arrival. Several receives are charged in order of arrival;
//   - completing a send takes only the time until it is complete;
//   - a message of a rank to itself does not enter the network: it costs the
//     sender the overhead and one copy (size/memory), and then has arrived. A message
//     to another rank of the same host is similar, but has its own copy rate, and
//     arrives a latency later;
//   - a successful probe costs the overhead; an iprobe, and a test that fails, cost
//     the overhead but at least 1 ns, so that a polling loop always makes progress.
//
// # Running ahead
//
// A rank's clock may be ahead of the simulated time of its host. Receives are posted as soon as the
// program emits them, because the matching depends only on the order of the receives and the order
// of the arrivals, not on how the two interleave. The network announces arrivals ahead of time; they
// are matched at their own time. At the same time, messages from the network come before those of the
// same host, in the order of the NICs, or of the sending ranks. Queries
// about the present (iprobe, test) wait until the host's time has passed the rank's clock.
//
// If a single rank sends from a host, its messages are passed to the network as they are emitted,
// although their time is in the future. If ranks share a host, or NICs send replies, as for gets, messages
// wait in an outbox for their time (docs/model.md, "The node").
//
// # Parts
//
// A [Block] consists of parts, each of which has its own state: one for requests, one for clocks, and others for
// statistics, the outbox, the schedule, programs, matching, waiting, rendezvous and one-sided operations (docs/nodes.md
// has a map of the parts, and follows a message through them).
//
// # Ownership
//
// A [World] is the whole program; a [Block] owns the ranks of one partition block (the part of the
// network that one worker simulates) and is used by one goroutine at a time. Blocks share the
// World's registry of contexts, its store of message contents, and its first error; all are
// protected by locks, and none of them influences simulated time.
package node
