// Package abstract simulates networks whose unit is the message: alpha-beta, LogP, LogGP and
// LogGOPS, and the contention-free form of any topology (docs/abstract-networks.md). There are no
// routers and no packets. A message occupies the NIC that sends it, travels for a time that depends
// on nothing but itself, and occupies the NIC that it comes to.
//
// Its blocks are in the place of those of package fabric: they are fabric.Transports to the same
// endpoints, and the engine drives them through the same windows. The lookahead is the least time
// that any message travels, so what one block does in a window matters to others in later windows
// only.
//
// # Order
//
// Events of a block are done in the order of their time; at one instant messages come in before
// hosts are woken, messages in the order of the sending NICs and of posting, hosts by their number.
// None of that depends on how hosts are divided into blocks.
//
// # State
//
// A block owns the state of its hosts. A message that goes to another block is copied into that
// block's pool, so every message belongs to one block at a time.
package abstract
