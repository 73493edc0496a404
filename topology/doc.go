// Package topology describes interconnection networks: the routers, the links between them, the
// routers that the hosts' network interfaces (NICs) are connected to, and the names of routers and
// ports.
//
// A topology computes a Graph from a few parameters. The engine and the fabric see only the graph.
// Coordinates, levels and groups are known only here and in package routing.
//
// A new topology is one file in this package. Its Spec holds the parameters, checks them, computes
// the numbers of routers, hosts and links, and builds the network. Its Topology has the methods
// that routing needs, such as coordinates and the destination of each port. The constructor
// describes the ports of every router in a wiring, whose method layOut builds the graph. Each kind
// of link gets its own link class, so that experiments can set its bandwidth and latency
// separately.
package topology
