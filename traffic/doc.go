// Package traffic loads a network with synthetic traffic, and measures latency and accepted load as
// functions of the offered load, as defined by Dally and Towles (Principles and Practices of
// Interconnection Networks, 2004, chapters 3 and 23).
//
// In an open loop, every NIC is a source with an infinite queue: an arrival process generates
// messages independently of the network, and latency is measured from generation. A source
// generates its messages in order, and only as far ahead as its NIC can accept them, so that a
// backlog needs no memory. With Load.Concurrent it generates them when they are due, and an Incast
// may add others. In a closed loop (Load.Window), a source has a fixed number of
// outstanding requests, and sends the next request when a reply arrives.
//
// Random numbers are hashes of the seed, the source and the index of the message. Therefore the
// traffic depends neither on the behaviour of the network nor on the number of workers.
//
// Each pattern is in its own file, which registers it.
package traffic
