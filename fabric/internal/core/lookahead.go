package core

import (
	"math/bits"

	"fabricast/fabric/model"
	"fabricast/internal/snapshot"
)

// Lookahead counts the small packets of a block's hosts that are in flight, because the smallest
// packet in the network limits the window length: its credit takes effect after the time the packet
// takes to pass. Most packets have the maximum size; smaller ones are the last packets of their
// messages.
type Lookahead struct {
	*Layout
	messages *MessageTable
	mail     *Outbox
	// number of messages in flight, by the size class of their last packet; messages that end with
	// a full packet are not counted
	small  [SizeClasses]uint32
	Length int64 // resulting limit of the window length (ps)
	// limit of the window length that always applies (ps)
	Longest int64
	size    int64 // size in bytes of the last message inspected, plus 1; 0: none
	class   int   // smallClass of that size
}

// SizeClasses is the number of size classes of packets. A class is the binary logarithm of the size
// in flits.
const SizeClasses = 16

// smallClass returns the size class of the last packet of a message of `size` bytes, or -1 if that
// packet is full.
func (l *Layout) smallClass(size int64) int {
	rest := size % l.Payload
	if rest == 0 && size > 0 {
		return -1
	}
	flits := l.Flits(rest)
	if flits == l.MaxFlits {
		return -1
	}
	return bits.Len64(uint64(flits)) - 1
}

// classOf returns the same as smallClass. It repeats the divisions only if `size` differs from that
// of the last call.
func (a *Lookahead) classOf(size int64) int {
	if size != a.size-1 {
		a.size, a.class = size+1, a.smallClass(size)
	}
	return a.class
}

// Under counts a message of `size` bytes as in flight.
func (a *Lookahead) Under(id model.MsgID, size int64) {
	class := a.classOf(size)
	if class < 0 {
		return
	}
	if a.small[class]++; a.small[class] == 1 {
		a.Length = min(a.Length, a.Windows[class])
	}
	if owner, _ := a.messages.Owner(id); owner != a.messages.Block {
		// The host was in that block when it created the message. That block counts the message
		// from the next round on, and this block until then.
		a.mail.under(owner, class)
		a.mail.over(a.messages.Block, class)
	}
}

// Forget subtracts the given number of messages of a class, modulo 2^32, from those in flight.
func (a *Lookahead) Forget(class int, messages uint32) {
	if a.small[class] -= messages; a.small[class] > 0 {
		a.Length = min(a.Length, a.Windows[class])
		return
	}
	for c, n := range a.small {
		if n > 0 {
			a.Length = a.Windows[c]
			return
		}
	}
	a.Length = a.FullWindow
}

// Over records that the last packet of a message has started on its last link.
func (a *Lookahead) Over(id model.MsgID, size int64) {
	class := a.classOf(size)
	if class < 0 {
		return
	}
	if owner, _ := a.messages.Owner(id); owner != a.messages.Block {
		a.mail.over(owner, class)
		return
	}
	a.Forget(class, 1)
}

// state visits the counts of small packets in flight.
func (a *Lookahead) state(v *snapshot.Visitor) {
	snapshot.Value(v, &a.small)
	snapshot.Value(v, &a.Length)
}
