// Package traffic loads a network with synthetic traffic and measures latency and accepted
// throughput against offered load, as defined by Dally and Towles (Principles and Practices of
// Interconnection Networks, 2004, chapters 3 and 23).
//
// Every NIC is a separate source with an infinite queue (open loop): an arrival process generates
// messages independently of the network, and latency counts from generation. A source generates its
// messages in order, and only as far ahead as its NIC can accept them, so a backlog needs no
// memory. With a window instead of a load the loop is closed: a source has a fixed number of
// outstanding requests, and sends the next when a reply arrives.
//
// Random numbers are hashes of the seed, the source and the index of the message. So the traffic
// depends neither on the behaviour of the network nor on the number of workers that simulate it.
//
// Each pattern, arrival process and size distribution is in its own file. A pattern is registered
// in that file.
package traffic
