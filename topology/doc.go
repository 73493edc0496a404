// Package topology describes interconnection networks: their routers, the links that join these,
// the routers to which the hosts' network interfaces (NICs) are connected, and the names of routers
// and ports.
//
// A topology computes a Graph from a few parameters. Everything after it (the engine, the fabric)
// sees only the graph; coordinates, levels and groups are known only here and in package routing.
//
// A new topology is one file in this package. It has a Spec with the parameters, which checks them,
// counts the routers, hosts and links of the network, and builds it. And it has a Topology with the
// methods that routing needs (coordinates, which port leads where). Its constructor describes every
// router's ports in a wiring, whose layOut makes the graph. Links of different kinds get different
// link classes, so that experiments can give each a bandwidth and a latency of its own.
package topology
