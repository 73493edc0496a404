// Package innetwork is reduction and multicast in switches: aggregation trees over the routers of a
// network, and the agents of routers (fabric.Agent) that carry them out.
//
// Each rank of a group sends a packet for every segment to its router, which consumes it. When a router
// has the packets of all its children in the tree, it combines them, and sends one packet to its parent.
// The root sends the result down; routers copy it for each child, down to the ranks. Copies
// wait for the crossbar, and for their own links.
//
// # Freedom from deadlock
//
// A packet of a tree ends at every router, in an agent. An agent has room for what ranks may have under
// way: Spec.Slots segments of each tree, of which a collective uses at most Spec.Window. So an agent
// always accepts packets, like a NIC, and each link of a tree adds to the dependencies of the routing
// what a message over this link would add between neighbours: a way to a place that always drains.
package innetwork
