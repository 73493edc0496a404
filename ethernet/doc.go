// Package ethernet simulates networks whose switches drop, cut, mark or pause packets, instead of
// holding them by credits, and whose NICs retransmit packets and control congestion
// (docs/congestion.md).
//
// Its blocks can replace those of package fabric: they are fabric.Transports for the same endpoints,
// and the engine drives them through the same windows.
//
// # Model
//
// A switch stores a packet until it has all of it, chooses an output port by a hash among those on
// shortest paths, and queues the packet there. A NIC has flows, one for each NIC that it sends to
// and queue pair. A flow numbers its packets; its receiver acknowledges them, and the flow sends
// again what was lost. A message is received when all of its packets have arrived, and its send is
// complete when they all have been acknowledged.
//
// # Order
//
// The events of a block are processed in order of time, at the same instant by kind, and those of a
// kind by the port, NIC or flow. A port, NIC or flow has at most one event of a kind at an instant.
// Events affect other routers and NICs only after the latency of a link. So the result does not
// depend on how routers are divided into blocks. Whatever is drawn is a hash of the seed and of what
// identifies a packet.
package ethernet
