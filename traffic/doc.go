// Package traffic loads a network with synthetic traffic and measures latency and accepted
// throughput against offered load, as defined by Dally and Towles (Principles and Practices of
// Interconnection Networks, 2004, chapters 3 and 23).
//
// Every NIC is a source of its own with an infinite queue (open loop): an arrival process generates
// messages independently of the network, and latency counts from generation. A source generates its
// messages in order, and only as far ahead as its NIC can accept them, so a backlog needs no
// memory. With a window instead of a load the loop is closed: a source has a fixed number of
// requests in progress, and sends the next when a reply arrives.
//
// Random numbers are hashes of (seed, source, number of the message). So the traffic does not
// depend on what the network does, or on how many workers simulate it.
//
// A pattern, an arrival process or a distribution of sizes is one file. A pattern is registered in
// its own file.
package traffic
