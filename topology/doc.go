// Package topology describes interconnection networks: which routers there
// are, how links join them, where the hosts' network interfaces are plugged
// in, and what people call these places.
//
// A topology is pure arithmetic that yields a Graph. Everything after it (the
// engine, the fabric) sees only the graph; coordinates and dimensions are known
// here and in package routing alone. A new topology is one file in this package.
package topology
