// Package holders finds out which packets held what a message waited for, from the hops of all packets.
//
// # Rule
//
// A wait of a packet is divided into periods, each charged to one packet, its holder:
//   - waiting for a link, a crossbar port or a NIC is charged to the packet that is passing it;
//   - waiting behind another packet, in its queue or for the same output VC, is charged to whatever that
//     packet is charged with at the same time, or to that packet itself while it leaves;
//   - waiting for credit is charged by the packet whose departure from the next buffer returns the credit
//     that ends the wait. What the waiting router sees at a time t has happened there earlier, by the time
//     that the credit takes; so it is charged to whatever that packet was charged with at that time. While
//     that packet is still on its way to the buffer, or leaves it, it is the holder itself.
//
// So a wait for credit is followed downstream from buffer to buffer to the packets at the root of the
// congestion, which pass a link while others wait.
//
// A packet is charged with its own wait where nothing that it needs is taken: adaptive routing has not chosen its
// output yet, a round of a separable allocator must pass, or another NIC of its host reads memory over a bus that
// they share.
//
// # Where packets are dropped or paused
//
// Packets divides the latency of a message along the packet whose arrival makes it complete, each time that this
// was sent, with these rules in their order:
//   - in its NIC, while that sends packets of the message, it takes part in the serialization; while its flow may
//     not send, the time is that of the window, of credit or of the rate; while its class is paused, it waits for
//     the end of the pause; else it waits for the packet that the NIC is sending, of any kind;
//   - in the queue of a port, while its class is paused, it waits for the end of the pause; else for the packet
//     that the port is sending;
//   - a pause is charged to what the packet was charged with whose departure ended it, earlier by the time that
//     the frames take; before it was in the switch, and while it leaves, to that packet itself. So pauses are
//     followed to the packets at the root;
//   - from the loss of the packet until its sender knows of it, it waits for its repetition. That is charged to the
//     packets in the queue that had no room for it (where the ports of a switch share a buffer that is full, in all
//     queues of the switch), in proportion to their bytes. A packet that came later and took its place is one of them.
//     What is discarded because a packet before it is missing is charged as the last loss of that, earlier. What is
//     hit by bit errors is charged to the message itself on that link, as is all time of a packet that is sent again
//     before it is lost, or without being lost. What is lost because a link is down, or because no way leads on behind
//     a link, is charged to that link, which is no message, as is time in a NIC that sends nothing because its link
//     is down.
//
// A packet without payload counts as the message that it is about; credit as the last message of the flow of
// which anything has come.
//
// # Method
//
// Hops are processed in order of their start. All that a packet can have waited for started earlier, so
// the charges of earlier hops are known. A wait for credit copies the charges of the packet that returns it.
// A wait behind others copies nothing: it refers to the packets that left the same buffer meanwhile. So the
// buffers hold each charge once, not once for each packet that waits behind.
//
// How far back the hops that follow refer is known before (Horizons), and what is older is forgotten. So
// memory does not grow with the length of a run, but with the packets that pass while one packet waits. A
// sending NIC remembers one element for each message that it sent while a later one was queued.
//
// What a queue held when a packet was lost is told by the router, as numbers of places in the queue: what came and
// went before at the same instant cannot be told from hops. The packets are those that leave these places later.
package holders
