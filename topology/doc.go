// Package topology describes interconnection networks: which routers there
// are, how links join them, where the hosts' network interfaces are plugged
// in, and what people call these places.
//
// A topology is pure arithmetic that yields a Graph. Everything after it (the
// engine, the fabric) sees only the graph; coordinates, levels and groups are
// known here and in package routing alone.
//
// A new topology is one file in this package: a Spec with the parameters, which
// checks them, counts what the network will have, and builds it; and a Topology,
// with the accessors that routing needs (coordinates, which port leads where).
// Its constructor describes every router's ports to a wiring, whose layOut makes
// the graph. Links of different kinds get classes, so that experiments can give
// each a bandwidth and a latency of its own.
package topology
