// Package abstract simulates networks at the level of messages: the models alpha-beta, LogP, LogGP
// and LogGOPS, and the contention-free model of any topology (docs/abstract-networks.md). There are
// no routers and no packets. A message occupies the sending NIC, travels for a time that depends
// only on the message itself, and occupies the receiving NIC.
//
// Its blocks can replace those of package fabric: they are fabric.Transports for the same
// endpoints, and the engine drives them through the same windows. The lookahead is the minimum
// travel time of any message, so the events of one block in a window affect other blocks only in
// later windows.
//
// # Order
//
// The events of a block are processed in order of time. At the same instant, messages arrive before
// hosts are woken. Messages are ordered by sending NIC and then by posting, and hosts by ID. This
// order does not depend on how hosts are divided into blocks.
//
// # State
//
// A block owns the state of its hosts. A message to another block is copied into that block's pool,
// so every message belongs to one block at a time.
package abstract
